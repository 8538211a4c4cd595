/**
 * What an operation costs: the sum of what its fields declare (field-cost.ts), with its fragments expanded.
 *
 *     { items(first: 3) { totalCount nodes { id name } } }
 *
 * costs 3 for the page, 450 for the count, 1 for `nodes`, and 1 for each of the two fields of each of the three items: 460.
 *
 * `@skip` and `@include` change nothing, and a field that is selected twice counts twice: the cost is a bound that can be read off the document.
 *
 * The plan of an operation is made once, when its document is prepared, and adds up what does not depend on values. A request then gives it
 * the values.
 */
import {
  type FieldNode,
  type FragmentDefinitionNode,
  getNamedType,
  type GraphQLNamedType,
  type GraphQLSchema,
  type InlineFragmentNode,
  isCompositeType,
  Kind,
  type OperationDefinitionNode,
  type SelectionNode,
} from 'graphql'
import type { FieldCost, FixedCost, SizedCost } from './field-cost.ts'
import type { Fragments } from './fragments.ts'
import { ArgumentReader, type ReadLiteral, type SentArguments, type SentVariables } from './sent-arguments.ts'

/** @returns the cost of an operation in a request */
export type OperationCost = (variables: SentVariables, readLiteral: ReadLiteral) => number

/** What a part of a document costs. */
interface PartCost {
  cost: number
  /** Multiplied by the size of the page around it. */
  costPerItem: number
}

/** A part whose cost is known, or depends on the values of a request. */
type Plan = PartCost | ((request: RequestCosts) => PartCost)

/** What plans are evaluated with, for one request. */
interface RequestCosts {
  arguments: ArgumentReader
  /** What is known already of fragments, by their names. */
  fragmentCosts: Map<string, PartCost>
}

type Type = GraphQLNamedType | undefined
type NodeWithSelections = OperationDefinitionNode | FragmentDefinitionNode | FieldNode | InlineFragmentNode

const NOTHING: PartCost = { cost: 0, costPerItem: 0 }

/** Above any limit. Fragments that double a thousand times would cost Infinity, and 0 items at that cost NaN. */
const MAX_COST = Number.MAX_SAFE_INTEGER

function partCost(cost: number, costPerItem = 0): PartCost {
  return { cost: Math.min(cost, MAX_COST), costPerItem: Math.min(costPerItem, MAX_COST) }
}

const UNDECLARED: FieldCost = { kind: 'single', cost: 1 }

/** Plans the operations of a valid document. */
export class CostPlanner {
  readonly #schema: GraphQLSchema
  readonly #fragments: Fragments
  /** Each fragment is planned once, however often it is used. */
  readonly #fragmentPlans = new Map<string, Plan>()

  /** @param fragments of the document */
  constructor(schema: GraphQLSchema, fragments: Fragments) {
    this.#schema = schema
    this.#fragments = fragments
  }

  plan(operation: OperationDefinitionNode): OperationCost {
    const plan = this.#planSelections(operation, this.#schema.getRootType(operation.operation) ?? undefined)
    return (variables, readLiteral) => {
      const request: RequestCosts = {
        arguments: new ArgumentReader(operation, variables, readLiteral),
        fragmentCosts: new Map(),
      }
      const { cost, costPerItem } = evaluate(plan, request)
      return Math.min(cost + costPerItem, MAX_COST)
    }
  }

  /** What a node selects. @param type of what is selected from */
  #planSelections({ selectionSet }: NodeWithSelections, type: Type): Plan {
    return addUp((selectionSet?.selections ?? []).map((selection) => this.#planSelection(selection, type)))
  }

  #planSelection(selection: SelectionNode, type: Type): Plan {
    switch (selection.kind) {
      case Kind.FIELD:
        return this.#planField(selection, type)
      case Kind.FRAGMENT_SPREAD:
        return this.#planSpread(selection.name.value)
      case Kind.INLINE_FRAGMENT:
        return this.#planFragment(selection, type)
    }
  }

  /** A field, with what it selects. */
  #planField(field: FieldNode, type: Type): Plan {
    const definition = isCompositeType(type) ? this.#schema.getField(type, field.name.value) : undefined
    const declared = definition?.extensions.cost ?? UNDECLARED
    const selected = this.#planSelections(field, definition && getNamedType(definition.type))
    if (declared.kind === 'page' || declared.kind === 'list')
      return (request) => addSized(evaluate(selected, request), declared, request.arguments.read(field))
    return typeof selected === 'function'
      ? (request) => addFixed(selected(request), declared)
      : addFixed(selected, declared)
  }

  #planSpread(name: string): Plan {
    const known = this.#fragmentPlans.get(name)
    if (known) return known
    const fragment = this.#fragments.get(name)
    const plan = fragment ? evaluateOnce(name, this.#planFragment(fragment)) : NOTHING
    this.#fragmentPlans.set(name, plan)
    return plan
  }

  /** @param type of what is around it, which an inline fragment may have, too */
  #planFragment(fragment: FragmentDefinitionNode | InlineFragmentNode, type?: Type): Plan {
    const condition = fragment.typeCondition
    return this.#planSelections(fragment, condition ? this.#schema.getType(condition.name.value) : type)
  }
}

/** Adds what a field costs to what it selects. */
function addFixed({ cost, costPerItem }: PartCost, declared: FixedCost): PartCost {
  switch (declared.kind) {
    case 'single':
    case 'few':
      return partCost(declared.cost + cost, costPerItem)
    case 'items':
      return partCost(1, cost + costPerItem)
  }
}

/** Adds what a field costs, with these arguments, to what it selects. */
function addSized({ cost, costPerItem }: PartCost, declared: SizedCost, args: SentArguments): PartCost {
  const size = declared.size(args)
  switch (declared.kind) {
    case 'list':
      return partCost(size + size * (cost + costPerItem))
    case 'page':
      return partCost(declared.cost(args) + cost + size * costPerItem)
  }
}

function addUp(plans: readonly Plan[]): Plan {
  const known = plans.filter((plan) => typeof plan !== 'function').reduce(add, NOTHING)
  const others = plans.filter((plan) => typeof plan === 'function')
  if (others.length === 0) return known
  return (request) => others.map((plan) => plan(request)).reduce(add, known)
}

function add(one: PartCost, other: PartCost): PartCost {
  return partCost(one.cost + other.cost, one.costPerItem + other.costPerItem)
}

function evaluate(plan: Plan, request: RequestCosts): PartCost {
  return typeof plan === 'function' ? plan(request) : plan
}

/** The plan of a fragment, evaluated once for a request: fragments that double are used exponentially often. */
function evaluateOnce(name: string, plan: Plan): Plan {
  if (typeof plan !== 'function') return plan
  return (request) => {
    const known = request.fragmentCosts.get(name) ?? plan(request)
    request.fragmentCosts.set(name, known)
    return known
  }
}
