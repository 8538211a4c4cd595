/** Which statement returns a page of a list, and its values. */
import { makePgArray } from 'drizzle-orm/pg-core'
import {
  buildOnce,
  buildStatement,
  type Statement,
  type StatementTemplate,
} from '../db/postgres/statement.ts'
import { toCondition, type ListSource, type Values } from './conditions.ts'
import type { FilterOf, ListDescription } from './list.ts'
import { type Bound, buildPage, type PageShape } from './page-sql.ts'
import { statementName } from './resource.ts'
import { isBefore, type KeyRange, rangeOfPrefix } from './text-key.ts'

/** A position in a list: items with equal keys are ordered by id. */
export interface ListPosition {
  id: string
  /** Null in a list by id. */
  sortKey: string | null
  /** Whether a range from here on includes the item at this position. */
  isIncluded?: boolean
}

/** An order of a list: the name of one that it describes, and the direction. */
export interface ListOrder<Name extends string = string> {
  field: Name
  direction: 'ASC' | 'DESC'
}

/** A range of a list. */
export interface ListRange<Filter = FilterOf<ListDescription>, OrderName extends string = string> {
  filter: Filter
  order: ListOrder<OrderName>
  /** Only items between these two, in list order. */
  after?: ListPosition | undefined
  before?: ListPosition | undefined
  /** At most the largest page and one more. */
  limit: number
  /** The end of the range that the limit counts from. */
  from: 'start' | 'end'
}

/** How to query a page. */
export interface PagePlan {
  /** In one statement with other pages, without long texts; null if the statement may take long, and on Citus. */
  batched: BatchedPage | null
  /** In a statement of its own. */
  single: () => Statement
}

/** A page whose statement can also answer other pages of the same template. */
export interface BatchedPage {
  template: StatementTemplate<string>
  values: Values
}

/**
 * Plans the pages of a list. Each combination of values of the filters by equality is one range of one index, so Postgres reads little
 * more than it returns.
 * @returns a function whose result is null if nothing can match the filter
 */
export function createPlanner(source: ListSource): (range: ListRange) => PagePlan | null {
  const templateOf = buildOnce(
    (shape: PageShape) => Object.values(shape).join(),
    (shape) =>
      buildStatement<string>(statementName('list', source.resource.words.many), buildPage(source, shape), {
        // The best plan of a page with other conditions depends on their values.
        prepare: shape.conditions.length === 0,
      }),
  )
  return (range) => {
    const query = toPageQuery(source.list, range)
    if (!query) return null
    const { shape, values, isMerged } = query
    const isBatched = !isMerged && !source.isDistributed && shape.conditions.length === 0
    return {
      batched: isBatched ? { template: templateOf({ form: 'batched', ...shape }), values } : null,
      single: () => templateOf({ form: isMerged ? 'merged' : 'single', ...shape }).with(values),
    }
  }
}

/** One statement for pages of one template: a row for each, whose last column is its number, from 1. */
export function selectPages(pages: readonly [BatchedPage, ...BatchedPage[]]): Statement {
  const [{ template }] = pages
  return template.with(
    toParallelArrays(
      template.parameters,
      pages.map(({ values }) => values),
    ),
  )
}

interface PageQuery {
  shape: Omit<PageShape, 'form'>
  values: Values
  /** Whether there are several combinations of values: those of the filters are parallel arrays then. */
  isMerged: boolean
}

/** @returns null if nothing can match the filter */
function toPageQuery(list: ListDescription, range: ListRange): PageQuery | null {
  const { filter, order, after, before, limit, from } = range
  const { conditions, combinations, keys } = readFilter(list, filter, order)
  const [first] = combinations
  if (!first) return null

  const equal = Object.keys(first)
  const isMerged = combinations.length > 1
  const [low, high] = boundsOf(order, keys, after, before)
  const scan = (order.direction === 'ASC') === (from === 'start') ? 'asc' : 'desc'
  return {
    shape: {
      order: order.field,
      scan,
      equal,
      low: low.kind,
      high: high.kind,
      conditions: Object.keys(conditions),
    },
    values: {
      limit: String(limit),
      ...conditions,
      ...(isMerged ? toParallelArrays(equal, combinations) : first),
      lowKey: low.key,
      lowId: low.id,
      highKey: high.key,
      highId: high.id,
    },
    isMerged,
  }
}

/** What a filter is in an order of the list. */
interface FilterQuery {
  /** The combinations of values that the filters by equality allow. */
  combinations: Values[]
  /** The range of sort keys that a prefix allows. */
  keys: KeyRange
  /** The values of all other filters, which no index serves. */
  conditions: Values
}

function readFilter(list: ListDescription, filter: ListRange['filter'], order: ListOrder): FilterQuery {
  const sortKey = list.orders[order.field]?.key
  const query: FilterQuery = { combinations: [{}], keys: {}, conditions: {} }
  for (const [name, described] of Object.entries(list.filters)) {
    const { use } = described
    const value = filter[name]
    if (value === undefined) continue
    const parameters = described.toParameters(value)
    if (use.kind === 'anyOf') {
      const different = [...new Set(parameters)]
      query.combinations = query.combinations.flatMap((combination) =>
        different.map((one) => ({ ...combination, [name]: one })),
      )
    } else if (use.kind === 'prefix' && use.key === sortKey) {
      query.keys = rangeOfPrefix(parameters[0])
    } else {
      Object.assign(query.conditions, toCondition(name, use, parameters))
    }
  }
  return query
}

function toParallelArrays(names: readonly string[], combinations: readonly Values[]): Values {
  return Object.fromEntries(
    names.map((name) => [name, makePgArray(combinations.map((combination) => combination[name]))]),
  )
}

interface PageBound {
  kind: Bound
  key: string | null
  id: string | null
}

/** The lower and upper bounds of a range: the cursor or the bound of the prefix, whichever is narrower. */
function boundsOf(
  { direction }: ListOrder,
  keys: KeyRange,
  after: ListPosition | undefined,
  before: ListPosition | undefined,
): [low: PageBound, high: PageBound] {
  const [low, high] = direction === 'ASC' ? [after, before] : [before, after]
  const isLowKey = keys.low !== undefined && (!low || isBefore(low.sortKey ?? '', keys.low))
  const isHighKey = keys.high !== undefined && (!high || !isBefore(high.sortKey ?? '', keys.high))
  return [toBound(isLowKey ? keys.low : low), toBound(isHighKey ? keys.high : high)]
}

/** @param at a sort key, an item, or neither */
function toBound(at: string | ListPosition | undefined): PageBound {
  if (at === undefined) return { kind: 'open', key: null, id: null }
  if (typeof at === 'string') return { kind: 'key', key: at, id: null }
  return { kind: at.isIncluded ? 'included' : 'position', key: at.sortKey, id: at.id }
}
