/** Measures an operation after fragment expansion: its cost, depth, fields, aliases, directives, and the text that its names make. */
import {
  type DirectiveNode,
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  getNamedType,
  type GraphQLNamedType,
  type GraphQLSchema,
  isCompositeType,
  Kind,
  type OperationDefinitionNode,
  type SelectionNode,
  type SelectionSetNode,
  valueFromASTUntyped,
} from 'graphql'
import type { ArgumentValues, FieldCost } from './schema/cost.ts'

export interface Measures {
  /** Levels of nested fields. */
  depth: number
  fields: number
  aliases: number
  directives: number
  /** The sum of the fields' declared costs (schema/cost.ts). */
  cost: number
  /** The characters of an answer with full pages and the shortest values: clients choose the names of fields, which are repeated per item. */
  text: number
}

/** The characters of `"":1,`. */
const PUNCTUATION = 5

export const NOTHING: Measures = { depth: 0, fields: 0, aliases: 0, directives: 0, cost: 0, text: 0 }

/** @param variables as sent by the client; a missing one counts as its default. A value may be ANY. */
export function measureOperation(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  variables: Readonly<Record<string, unknown>>,
): Measures {
  const measurement = new Measurement(schema, document, { ...readDefaults(operation), ...variables })
  const type = schema.getRootType(operation.operation) ?? undefined
  return add(measurement.measureSelections(operation.selectionSet, type, 1), countDirectives(operation))
}

class Measurement {
  readonly #schema: GraphQLSchema
  readonly #fragments: Map<string, FragmentDefinitionNode>
  readonly #variables: Record<string, unknown>
  /** Each fragment is measured once per page size, since fragments that double would take exponential time. */
  readonly #measuredFragments = new Map<string, Measures>()

  constructor(schema: GraphQLSchema, document: DocumentNode, variables: Record<string, unknown>) {
    this.#schema = schema
    this.#variables = variables
    const fragments = document.definitions.filter((node) => node.kind === Kind.FRAGMENT_DEFINITION)
    this.#fragments = new Map(fragments.map((fragment) => [fragment.name.value, fragment]))
  }

  /**
   * @param type the type that the selections apply to; undefined if the document is invalid
   * @param pageSize the size of the enclosing page
   */
  measureSelections(
    set: SelectionSetNode | undefined,
    type: GraphQLNamedType | undefined,
    pageSize: number,
  ): Measures {
    return (set?.selections ?? [])
      .map((selection) => this.#measureSelection(selection, type, pageSize))
      .reduce(add, NOTHING)
  }

  #measureSelection(
    selection: SelectionNode,
    type: GraphQLNamedType | undefined,
    pageSize: number,
  ): Measures {
    if (selection.kind === Kind.FIELD) return this.#measureField(selection, type, pageSize)
    const own = countDirectives(selection)
    if (selection.kind === Kind.FRAGMENT_SPREAD)
      return add(own, this.#measureFragment(selection.name.value, pageSize))
    const condition = selection.typeCondition
    const inner = condition ? this.#schema.getType(condition.name.value) : type
    return add(own, this.measureSelections(selection.selectionSet, inner, pageSize))
  }

  #measureField(field: FieldNode, type: GraphQLNamedType | undefined, pageSize: number): Measures {
    const definition = isCompositeType(type) ? this.#schema.getField(type, field.name.value) : undefined
    const cost: FieldCost = definition?.extensions.cost ?? {}
    const args = this.#readArguments(field)
    const below = this.measureSelections(
      field.selectionSet,
      definition && getNamedType(definition.type),
      cost.pageSize?.(args) ?? (cost.perItem ? 1 : pageSize),
    )
    const own = typeof cost.own === 'function' ? cost.own(args) : (cost.own ?? 1)
    const times = cost.perItem ? pageSize : 1
    const { value: name } = field.alias ?? field.name
    return {
      depth: below.depth + 1,
      fields: below.fields + 1,
      aliases: below.aliases + (field.alias ? 1 : 0),
      directives: below.directives + countDirectives(field).directives,
      cost: own + below.cost * times,
      text: name.length + PUNCTUATION + below.text * times,
    }
  }

  #measureFragment(name: string, pageSize: number): Measures {
    const key = `${name} ${pageSize}`
    const known = this.#measuredFragments.get(key)
    if (known) return known
    // Another rule rejects a fragment that contains itself; here the recursion only has to end.
    this.#measuredFragments.set(key, NOTHING)
    const fragment = this.#fragments.get(name)
    const type = fragment && this.#schema.getType(fragment.typeCondition.name.value)
    const measures = fragment
      ? add(countDirectives(fragment), this.measureSelections(fragment.selectionSet, type, pageSize))
      : NOTHING
    this.#measuredFragments.set(key, measures)
    return measures
  }

  #readArguments({ arguments: given = [] }: FieldNode): ArgumentValues {
    return Object.fromEntries(
      given.map(({ name, value }) => [name.value, valueFromASTUntyped(value, this.#variables)]),
    )
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

function add(one: Measures, other: Measures): Measures {
  return {
    depth: Math.max(one.depth, other.depth),
    fields: one.fields + other.fields,
    aliases: one.aliases + other.aliases,
    directives: one.directives + other.directives,
    cost: one.cost + other.cost,
    text: one.text + other.text,
  }
}

function countDirectives({ directives }: { directives?: readonly DirectiveNode[] | undefined }): Measures {
  return { ...NOTHING, directives: directives?.length ?? 0 }
}
