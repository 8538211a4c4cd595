import { type DocumentNode, type FragmentDefinitionNode, Kind } from 'graphql'

/** The fragments of a document, by their names. */
export type Fragments = ReadonlyMap<string, FragmentDefinitionNode>

/** @param document valid or not */
export function mapFragments({ definitions }: DocumentNode): Fragments {
  const fragments = definitions.filter((node) => node.kind === Kind.FRAGMENT_DEFINITION)
  return new Map(fragments.map((node) => [node.name.value, node]))
}
