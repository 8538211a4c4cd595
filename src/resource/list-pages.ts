/** The pages of a list: which statement returns one, and its SQL for each shape that a page can have. */
import { and, type SQL, sql } from 'drizzle-orm'
import { makePgArray } from 'drizzle-orm/pg-core'
import {
  buildOnce,
  buildStatement,
  type Statement,
  type StatementTemplate,
} from '../db/postgres/statement.ts'
import { type FilterOf, type ListDescription } from './list-declaration.ts'
import {
  conditionsOf,
  isAnyOf,
  type ListSource,
  toCondition,
  toParameters,
  type Values,
  type ValueSource,
} from './list-conditions.ts'
import { columnsOf, join, statementName } from './resource.ts'
import { isBefore, type KeyRange, rangeOfPrefix } from './text-key.ts'

/** The number of items on a page, in both APIs, as in the contract. */
export const PAGE_SIZE = { maximum: 100, default: 20 } as const

/** A position in a list: items with equal keys are ordered by id. */
export interface ListCursor {
  id: string
  /** Null in a list by id. */
  sortKey: string | null
  /** Whether a range from here on includes the item at this position. */
  isIncluded?: boolean
}

export interface ListOrder<Name extends string = string> {
  /** The name of one of the list's orders. */
  field: Name
  direction: 'ASC' | 'DESC'
}

export interface ListRange<Filter = FilterOf<ListDescription>, OrderName extends string = string> {
  filter: Filter
  order: ListOrder<OrderName>
  /** Only items between these two, in list order. */
  after?: ListCursor | undefined
  before?: ListCursor | undefined
  /** At most one more than the largest page. */
  limit: number
  /** The end of the range that the limit counts from. */
  from: 'start' | 'end'
}

/** How to query a page. */
export interface PagePlan {
  /** As part of a statement for several pages, without long texts; null if there is none, or it may take long. */
  batched: BatchedPage | null
  single: () => Statement
}

/** The longest text in a statement for several pages; a page with a longer one is loaded again, by itself. */
export const MAX_BATCHED_TEXT_BYTES = 8_192

export interface PageDialect {
  page: (source: ListSource, shape: PageShape) => SQL
  /** Whether a page has a row for each item, instead of an array for each column. Then there is no form `batched`. */
  returnsRows: boolean
}

/** A page whose statement can also answer other pages of the same template. */
export interface BatchedPage {
  template: StatementTemplate<string>
  values: Values
}

/** Each combination of values of the filters by equality is an index range. @returns a function that plans a page; null: nothing can match */
export function createPlanner(
  source: ListSource,
  dialect: PageDialect,
): (range: ListRange) => PagePlan | null {
  const templateOf = buildOnce(
    (shape: PageShape) => Object.values(shape).join(),
    (shape) =>
      buildStatement<string>(statementName('list', source.resource.words.many), dialect.page(source, shape), {
        // The best plan of a page with other conditions depends on their values.
        prepare: shape.conditions.length === 0,
      }),
  )
  return (range) => {
    const { order, limit, from } = range
    const { combinations, keys, conditions } = readFilter(source.list, range)
    const [first] = combinations
    if (!first) return null

    const equal = Object.keys(first)
    const isMerged = combinations.length > 1
    const [low, high] = boundsOf(range, keys)
    const shape: Omit<PageShape, 'form'> = {
      order: order.field,
      scan: (order.direction === 'ASC') === (from === 'start') ? 'asc' : 'desc',
      equal,
      low: low.kind,
      high: high.kind,
      conditions: Object.keys(conditions),
    }
    const values = {
      limit: String(limit),
      ...conditions,
      ...(isMerged ? toParallelArrays(equal, combinations) : first),
      lowKey: low.key,
      lowId: low.id,
      highKey: high.key,
      highId: high.id,
    }
    const isBatched = !isMerged && !dialect.returnsRows && shape.conditions.length === 0
    return {
      batched: isBatched ? { template: templateOf({ form: 'batched', ...shape }), values } : null,
      single: () => templateOf({ form: isMerged ? 'merged' : 'single', ...shape }).with(values),
    }
  }
}

/** One statement for pages of one template: a row for each, whose last column is its number, from 1. */
export function selectPages(pages: readonly [BatchedPage, ...BatchedPage[]]): Statement {
  const [{ template }] = pages
  const values = pages.map((page) => page.values)
  return template.with(toParallelArrays(template.parameters, values))
}

/**
 * Splits the filter of a range, given its order, into the combinations of values that the filters by equality allow, the sort keys
 * that a prefix allows, and the values of all other filters, which no index serves.
 */
function readFilter({ filters, orders }: ListDescription, { filter, order }: ListRange) {
  let combinations: Values[] = [{}]
  let keys: KeyRange = {}
  const conditions: Values = {}
  for (const [name, { use }] of Object.entries(filters)) {
    const value = filter[name]
    if (value === undefined) continue
    if (use.kind === 'anyOf') {
      const different = [...new Set(toParameters(value))]
      combinations = combinations.flatMap((combination) =>
        different.map((one) => ({ ...combination, [name]: one })),
      )
    } else if (use.kind === 'prefix' && use.key === orders[order.field]?.key) {
      keys = rangeOfPrefix(toParameters(value)[0])
    } else {
      Object.assign(conditions, toCondition(name, use, value))
    }
  }
  return { combinations, keys, conditions }
}

function toParallelArrays(names: readonly string[], combinations: readonly Values[]): Values {
  return Object.fromEntries(
    names.map((name) => [name, makePgArray(combinations.map((combination) => combination[name]))]),
  )
}

/** The lower and upper bounds of a range: the cursor or the bound of the prefix, whichever is narrower. */
function boundsOf({ order, after, before }: ListRange, keys: KeyRange) {
  const [low, high] = order.direction === 'ASC' ? [after, before] : [before, after]
  const isLowKey = keys.low !== undefined && (!low || isBefore(low.sortKey ?? '', keys.low))
  const isHighKey = keys.high !== undefined && (!high || !isBefore(high.sortKey ?? '', keys.high))
  return [toBound(isLowKey ? keys.low : low), toBound(isHighKey ? keys.high : high)] as const
}

/** @param at a sort key, an item, or neither */
function toBound(at: string | ListCursor | undefined): {
  kind: Bound
  key: string | null
  id: string | null
} {
  if (at === undefined) return { kind: 'open', key: null, id: null }
  if (typeof at === 'string') return { kind: 'key', key: at, id: null }
  return { kind: at.isIncluded ? 'included' : 'position', key: at.sortKey, id: at.id }
}

export interface PageShape {
  /** `batched`: several pages, each with its own values; `merged`: one page over several combinations of values. */
  form: 'batched' | 'merged' | 'single'
  order: string
  scan: 'asc' | 'desc'
  /** The filters by equality that are given: together with the order, they choose the index. */
  equal: readonly string[]
  low: Bound
  high: Bound
  /** The other conditions, which no index serves; see toCondition. */
  conditions: readonly string[]
}

/** The kind of bound of an index range: none, a sort key, or an item, which is part of the range if it is `included`. */
type Bound = 'open' | 'key' | 'position' | 'included'

/**
 * All rows of an index range, in order. Its bounds are rows that begin with the filter's values, `(status, id) > ('sold', 7)`: with
 * `status = 'sold' and id > 7` Postgres may choose another index and skip most of the table row by row. (Before PostgreSQL 18, the
 * scan of such a range reads past its end.)
 * @param options isFiltered: whether several values of the filters are conditions, instead of an index range each
 */
export function selectRange(
  { resource, list }: ListSource,
  shape: PageShape,
  valueOf: ValueSource,
  { isFiltered = false } = {},
): SQL {
  const { low, high, scan } = shape
  const sortKey = sortKeyOf(list, shape)
  const filters = Object.entries(list.filters).flatMap(([name, { use }]) =>
    use.kind === 'anyOf' && shape.equal.includes(name) ? [{ name, column: use.column }] : [],
  )
  const equal = isFiltered ? [] : filters
  const columns = [...equal.map(({ column }) => column), ...(sortKey ? [sortKey] : []), list.id]
  const compare = (operator: string, end: 'low' | 'high', bound: Bound) => {
    const row = [...equal.map(({ name }) => name), ...namesOfBound(end, bound, sortKey !== undefined)]
    if (row.length === 0) return undefined
    return sql`(${join(columns.slice(0, row.length))}) ${sql.raw(operator)} (${join(row.map(valueOf))})`
  }
  const where = and(
    isFiltered ? and(...filters.map(({ name, column }) => isAnyOf(name, column))) : undefined,
    compare(low === 'position' ? '>' : '>=', 'low', low),
    compare(high === 'open' || high === 'included' ? '<=' : '<', 'high', high),
    ...conditionsOf(list, shape.conditions, valueOf),
  )
  const orderBy = join(columns.map((column) => sql`${column} ${sql.raw(scan)}`))
  return sql`select ${columnsOf(resource.fields)}${sortKey ? sql`, ${sortKey}` : sql``} from ${resource.table}${where ? sql` where ${where}` : sql``} order by ${orderBy}`
}

export function namesOfBound(end: 'low' | 'high', bound: Bound, hasKey: boolean): string[] {
  const isItem = bound === 'position' || bound === 'included'
  return [...(hasKey && bound !== 'open' ? [`${end}Key`] : []), ...(isItem ? [`${end}Id`] : [])]
}

export function sortKeyOf({ orders }: ListDescription, { order }: PageShape) {
  return orders[order]?.key
}
