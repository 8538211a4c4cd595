/**
 * What a field costs: declared with it, and added up by query-cost.ts. A field without a declaration costs 1, and must not return a list:
 * test/unit/graphql/limits/field-cost.test.ts looks at all fields of the schema. Those of introspection return lists, and cost 1 each, since they
 * read no data: the limits of depth and aliases, and a rule of graphql-js, bound what they return.
 */
import type { SentArguments } from './sent-arguments.ts'

export type FieldCost = FixedCost | SizedCost

/** Known when a document is prepared. */
export type FixedCost =
  /** No list: what is selected counts once. */
  | { kind: 'single'; cost: number }
  /** The same, stated of a list of a few items, such as a count for each value of an enumeration: `cost` covers what the others select. */
  | { kind: 'few'; cost: number }
  /** The list of the items of a page, such as `nodes` of a connection: it costs 1, and what is selected counts once for each item. */
  | { kind: 'items' }

/** Depends on the arguments of the field. */
export type SizedCost =
  | PageCost
  /** A list of as many items as the arguments say, such as `nodes(ids: …)`: it costs its size, and what is selected counts once for each item. */
  | { kind: 'list'; size: (args: SentArguments) => number }

/** A connection, such as `items(first: 3)`: what is selected counts once, and what its list of items selects, once for each of them. */
export interface PageCost {
  kind: 'page'
  /** What the page costs, without what is selected. */
  cost: (args: SentArguments) => number
  /** The maximum number of its items. */
  size: (args: SentArguments) => number
}

declare module 'graphql' {
  // eslint-disable-next-line @typescript-eslint/no-unused-vars -- an augmentation repeats the type parameters
  interface GraphQLFieldExtensions<_TSource, _TContext, _TArgs> {
    cost?: FieldCost
  }
}

/** The `extensions` of a field that returns a list, or costs another number than 1. */
export function declareCost(cost: FieldCost): { cost: FieldCost } {
  return { cost }
}

/** The cost of what may scan a whole table: a count, or a filter that no index serves. A document may contain several, but not dozens. */
export const SCAN_COST = 450

/** The cost of combined values, filters and orders that no single index serves: Postgres may sort or skip thousands of rows for a page. */
export const MIX_COST = 50

/** A list of one item for each of `ids`. One id stands for a list of one. */
export const COST_OF_IDS: FieldCost = {
  kind: 'list',
  size: ({ ids }) => (Array.isArray(ids) ? ids.length : 1),
}
