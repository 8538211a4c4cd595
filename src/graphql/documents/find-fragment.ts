import { type DocumentNode, type FragmentDefinitionNode, Kind } from 'graphql'

/** A fragment of a document by its name; undefined: there is none, so the document is not valid. */
export function findFragment(
  { definitions }: DocumentNode,
  name: string,
): FragmentDefinitionNode | undefined {
  return definitions.find(
    (node): node is FragmentDefinitionNode =>
      node.kind === Kind.FRAGMENT_DEFINITION && node.name.value === name,
  )
}
