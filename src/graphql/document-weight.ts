/** What a document comes to when its fragments are put in. */
import {
  type DirectiveNode,
  type DocumentNode,
  type FieldNode,
  Kind,
  type OperationDefinitionNode,
  type SelectionNode,
  type SelectionSetNode,
  type ValueNode,
  valueFromASTUntyped,
} from 'graphql'
import { PET_STATUSES } from '../db/pet-status.ts'
import { PAGE_SIZE } from './connection.ts'
import { MAX_CATEGORIES } from './pet-filter.ts'

export interface Weight {
  /** Fields below each other. */
  depth: number
  aliases: number
  directives: number
  /** Fields, and what lies below the animals of a page as often as the page may have animals. */
  cost: number
}

/** The value of a variable that may have any, and so weighs as much as any. */
export const LARGEST = Symbol('largest')

/** Of `totalCount`: four fit into one document. */
const COUNT_COST = 450

const NOTHING: Weight = { depth: 0, aliases: 0, directives: 0, cost: 0 }

/**
 * Weighs an operation. Fragments double cheaply: each is weighed once, however often it is put in.
 * @param document which the operation is of, with its fragments
 * @param sent the values of variables, page sizes among them; what is not sent has its default
 */
export function weighOperation(
  document: DocumentNode,
  operation: OperationDefinitionNode,
  sent: Readonly<Record<string, unknown>>,
): Weight {
  const fragments = document.definitions.filter((node) => node.kind === Kind.FRAGMENT_DEFINITION)
  const variables: Record<string, unknown> = { ...readDefaults(operation), ...sent }
  const known = new Map<string, Weight>()
  return add(weigh(operation.selectionSet, 1), directivesOf(operation))

  /** @param pageSize how many animals the connection has that the selection is of, if it is of one */
  function weigh(set: SelectionSetNode | undefined, pageSize: number): Weight {
    return (set?.selections ?? [])
      .map((selection) => weighSelection(selection, pageSize))
      .reduce(add, NOTHING)
  }

  function weighSelection(selection: SelectionNode, pageSize: number): Weight {
    const own = directivesOf(selection)
    if (selection.kind === 'FragmentSpread') return add(own, weighFragment(selection.name.value, pageSize))
    if (selection.kind === 'InlineFragment') return add(own, weigh(selection.selectionSet, pageSize))
    const below = weigh(selection.selectionSet, pageSizeOf(selection))
    const times = ['nodes', 'edges'].includes(selection.name.value) ? pageSize : 1
    return {
      depth: below.depth + 1,
      aliases: below.aliases + (selection.alias ? 1 : 0),
      directives: below.directives + own.directives,
      cost: below.cost * times + costOf(selection),
    }
  }

  function weighFragment(name: string, pageSize: number): Weight {
    const key = `${name} ${pageSize}`
    const weighed = known.get(key)
    if (weighed) return weighed
    // A fragment that holds itself is another rule's business; here it must only end.
    known.set(key, NOTHING)
    const fragment = fragments.find((definition) => definition.name.value === name)
    const weight = fragment ? add(directivesOf(fragment), weigh(fragment.selectionSet, pageSize)) : NOTHING
    known.set(key, weight)
    return weight
  }

  /** How many animals a field answers with at most. What is no size at all is refused later: it may count as the largest one. */
  function pageSizeOf({ name, arguments: given = [] }: FieldNode): number {
    if (name.value !== 'pets') return 1
    const sizes = ['first', 'last'].map(
      (size) => given.find((argument) => argument.name.value === size)?.value,
    )
    const asked = sizes.map((node) => {
      if (node?.kind === 'Variable') return readVariable(node.name.value)
      return node?.kind === 'IntValue' ? Number(node.value) : null
    })
    const size = asked.find((value) => value !== null) ?? PAGE_SIZE.default
    return size >= 0 && size <= PAGE_SIZE.maximum ? size : PAGE_SIZE.maximum
  }

  /** What a field takes the database: a search for each combination of values; a count looks at every animal that fits. */
  function costOf({ name, arguments: given = [] }: FieldNode): number {
    if (name.value === 'totalCount') return COUNT_COST
    const filter = given.find((argument) => argument.name.value === 'filter')?.value
    if (name.value !== 'pets' || !filter) return 1
    return (
      countValues(filter, 'status', PET_STATUSES.length) * countValues(filter, 'categoryId', MAX_CATEGORIES)
    )
  }

  function countValues(filter: ValueNode, field: string, largest: number): number {
    if (filter.kind === 'Variable') {
      const value = variables[filter.name.value]
      return value === LARGEST ? largest : countItems(readMember(value, field))
    }
    if (filter.kind !== 'ObjectValue') return 1
    const list = filter.fields.find((member) => member.name.value === field)?.value
    if (list?.kind === 'Variable') {
      const value = variables[list.name.value]
      return value === LARGEST ? largest : countItems(value)
    }
    return list?.kind === 'ListValue' ? Math.max(1, list.values.length) : 1
  }

  function readVariable(name: string): number | null {
    const value = variables[name]
    if (typeof value === 'number') return value
    if (value === LARGEST) return PAGE_SIZE.maximum
    return value == null ? null : Number.NaN
  }
}

function readDefaults({ variableDefinitions = [] }: OperationDefinitionNode): Record<string, unknown> {
  return Object.fromEntries(
    variableDefinitions.map(({ variable, defaultValue }) => [
      variable.name.value,
      defaultValue && valueFromASTUntyped(defaultValue),
    ]),
  )
}

/** A list counts its different items; what is none counts as one. */
function countItems(value: unknown): number {
  return Array.isArray(value) ? Math.max(1, new Set(value).size) : 1
}

function readMember(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && name in value ? Reflect.get(value, name) : undefined
}

function add(one: Weight, other: Weight): Weight {
  return {
    depth: Math.max(one.depth, other.depth),
    aliases: one.aliases + other.aliases,
    directives: one.directives + other.directives,
    cost: one.cost + other.cost,
  }
}

function directivesOf({ directives }: { directives?: readonly DirectiveNode[] | undefined }): Weight {
  return { ...NOTHING, directives: directives?.length ?? 0 }
}
