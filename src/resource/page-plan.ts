/** Which statement returns a page of a list, and its SQL. */
import { and, type Column, type SQL, sql } from 'drizzle-orm'
import { makePgArray } from 'drizzle-orm/pg-core'
import { PAGE_SIZE } from '../base/page-size.ts'
import {
  buildOnce,
  buildStatement,
  nameOf,
  parameter,
  type Statement,
  type StatementTemplate,
} from '../db/postgres/statement.ts'
import type { FilterOf, ListDescription } from './list.ts'
import { columnsOf, isText, type Item, type Resource, statementName } from './resource.ts'
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
  /** At most MAX_ROWS. */
  limit: number
  /** The end of the range that the limit counts from. */
  from: 'start' | 'end'
}

/** The largest page plus one row, which tells whether another page follows. */
export const MAX_ROWS = PAGE_SIZE.maximum + 1

/** A page whose statement can also answer other pages of the same template. */
export interface JoinablePage {
  template: StatementTemplate<string>
  values: PageValues
}

/** How to query a page. */
export interface PagePlan {
  /** In one statement with other pages, without long texts; null if the statement may take long. */
  batched: JoinablePage | null
  /** In a statement of its own. */
  single: () => Statement
  /** Whether `single` returns a row for each item instead of an array for each column. */
  rowPerItem: boolean
}

type PageValues = Record<string, string | null>

/** The kind of bound of an index range: none, a sort key, or an item, which is part of the range if it is `included`. */
type Bound = 'open' | 'key' | 'position' | 'included'

/** Everything that the text of a page depends on. */
interface PageShape {
  /** `batched`: several pages, each with its own values; `merged`: one page over several combinations of values; `single`: one page. */
  form: 'batched' | 'merged' | 'single'
  order: string
  scan: 'asc' | 'desc'
  /** The filters by equality that are given: together with the order, they choose the index. */
  equal: readonly string[]
  low: Bound
  high: Bound
  /** The other conditions, which no index serves. */
  conditions: readonly string[]
}

/** What the statement of a page depends on. */
interface PageQuery {
  shape: Omit<PageShape, 'form'>
  values: PageValues
  /** The combinations of values that `equal` allows, if there are several: parallel arrays, one for each filter. */
  combinations: PageValues | null
}

/** The maximum number of bytes of a text in a statement for several pages; a page with a longer one is loaded again, by itself. */
export const MAX_BATCHED_TEXT = 8_192

/** A list and the resource that it consists of. */
export interface ListSource<One extends Item = Item, List extends ListDescription = ListDescription> {
  resource: Resource<One>
  list: List
}

/**
 * Plans the pages of a list. Each combination of values of the filters by equality is one range of one index, so Postgres reads little
 * more than it returns.
 * @returns a function whose result is null if nothing can match the filter
 */
export function createPlanner(source: ListSource): (range: ListRange) => PagePlan | null {
  const templateOf = buildOnce(
    (shape: PageShape) => Object.values(shape).join(),
    (shape) => buildTemplate(source, shape, buildPage(source, shape)),
  )
  return (range) => {
    const query = toPageQuery(source.list, range)
    if (!query) return null
    const { shape, values, combinations } = query
    if (combinations) {
      const single = () => templateOf({ form: 'merged', ...shape }).with({ ...values, ...combinations })
      return { batched: null, single, rowPerItem: false }
    }
    const isBatched = shape.conditions.length === 0
    return {
      batched: isBatched ? { template: templateOf({ form: 'batched', ...shape }), values } : null,
      single: () => templateOf({ form: 'single', ...shape }).with(values),
      rowPerItem: false,
    }
  }
}

/**
 * The same in a form that Citus accepts: it rejects lateral joins, and would query the workers three times to gather arrays. Each
 * shard sends its first rows. Several combinations of values are conditions here, not an index range each.
 */
export function createPlannerOnCitus(source: ListSource): (range: ListRange) => PagePlan | null {
  const templateOf = buildOnce(
    ({ shape, isCombined }: { shape: Omit<PageShape, 'form'>; isCombined: boolean }) =>
      [...Object.values(shape), isCombined].join(),
    ({ shape, isCombined }) => {
      const { list } = source
      const filter = isCombined
        ? and(...equalFilters(list, shape).map(({ name, use }) => isAnyOf(name, use)))
        : undefined
      const rows = selectRange(source, isCombined ? { ...shape, equal: [] } : shape, parameterOf(list), {
        keys: 'stored',
        filter,
      })
      return buildTemplate(source, shape, sql`${rows} limit ${parameter('limit', 'int')}`)
    },
  )
  return (range) => {
    const query = toPageQuery(source.list, range)
    if (!query) return null
    const { shape, values, combinations } = query
    const single = () =>
      templateOf({ shape, isCombined: combinations !== null }).with({ ...values, ...combinations })
    return { batched: null, single, rowPerItem: true }
  }
}

function buildTemplate(
  { resource }: ListSource,
  { conditions }: Omit<PageShape, 'form'>,
  page: SQL,
): StatementTemplate<string> {
  // The best plan of a page with such conditions depends on the values.
  return buildStatement<string>(statementName('list', resource.words.many), page, {
    prepare: conditions.length === 0,
  })
}

/** One statement for pages of one template: one row per page, whose last column is its number, from 1. */
export function joinPages(pages: readonly [JoinablePage, ...JoinablePage[]]): Statement {
  const [{ template, values }] = pages
  const arrays = { ...values }
  for (const name of template.parameters) arrays[name] = makePgArray(pages.map((page) => page.values[name]))
  return template.with(arrays)
}

function toPageQuery(
  list: ListDescription,
  { filter, order, after, before, limit, from }: ListRange,
): PageQuery | null {
  const sortedBy = list.orders[order.field] ?? null
  const values: PageValues = { limit: String(limit) }
  const equal: string[] = []
  const conditions: string[] = []
  let combinations: PageValues[] = [{}]
  let keys: KeyRange = {}
  for (const [name, described] of Object.entries(list.filters)) {
    const { use } = described
    const value = filter[name]
    if (value === undefined) continue
    const parameters = described.toParameters(value)
    const [first = null] = parameters
    if (use.kind === 'anyOf') {
      equal.push(name)
      combinations = combine(combinations, name, new Set(parameters))
    } else if (use.kind === 'condition') {
      conditions.push(name)
      values[name] = first
    } else if (use.key === sortedBy?.key) {
      keys = rangeOfPrefix(first ?? '')
    } else {
      const { low = null, high = null } = rangeOfPrefix(first ?? '')
      conditions.push(`${name} ${high === null ? 'from' : 'between'}`)
      values[`${name}Low`] = low
      values[`${name}High`] = high
    }
  }
  const [only, ...others] = combinations
  if (!only) return null

  const [low, high] = boundsOf(order, keys, after, before)
  const scan = (order.direction === 'ASC') === (from === 'start') ? 'asc' : 'desc'
  return {
    shape: { order: order.field, scan, equal, low: low.kind, high: high.kind, conditions },
    values: { ...values, ...only, lowKey: low.key, lowId: low.id, highKey: high.key, highId: high.id },
    combinations: others.length > 0 ? toParallelArrays(equal, combinations) : null,
  }
}

function combine(combinations: readonly PageValues[], name: string, values: Iterable<string>): PageValues[] {
  const found = [...values]
  return combinations.flatMap((combination) => found.map((value) => ({ ...combination, [name]: value })))
}

function toParallelArrays(names: readonly string[], combinations: readonly PageValues[]): PageValues {
  return Object.fromEntries(
    names.map((name) => [name, makePgArray(combinations.map((combination) => combination[name]))]),
  )
}

interface PageBound {
  kind: Bound
  key: string | null
  id: string | null
}
const OPEN: PageBound = { kind: 'open', key: null, id: null }

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
  return [isLowKey ? atKey(keys.low) : atPosition(low), isHighKey ? atKey(keys.high) : atPosition(high)]
}

function atKey(key: string | undefined): PageBound {
  return { kind: 'key', key: key ?? null, id: null }
}

function atPosition(position: ListPosition | undefined): PageBound {
  if (!position) return OPEN
  return { kind: position.isIncluded ? 'included' : 'position', key: position.sortKey, id: position.id }
}

/** The SQL for one of a page's values. */
type Source = (name: string) => SQL

function typeOf(list: ListDescription, name: string): string {
  const use = list.filters[name]?.use
  if (use?.kind === 'anyOf' || use?.kind === 'condition') return use.column.getSQLType()
  return { limit: 'int', lowId: 'bigint', highId: 'bigint' }[name] ?? 'text'
}

function parameterOf(list: ListDescription): Source {
  return (name) => parameter(name, typeOf(list, name))
}

/**
 * A page's rows: the bytes of all texts, then one array per column and, in a list with a sort key, one of the keys. Arrays are cheap
 * to write and to read.
 */
function buildPage(source: ListSource, shape: PageShape): SQL {
  const { list } = source
  if (shape.form === 'batched') return batchPages(source, shape)
  const rows =
    shape.form === 'merged' ? mergeRanges(source, shape) : limitRange(source, shape, parameterOf(list))
  return toArrays(source, shape, rows)
}

/**
 * Several pages, one row each, whose last column is the number of the page, from 1. Postgres runs it as a nested loop, which keeps
 * the order of each page's rows.
 */
function batchPages(source: ListSource, shape: PageShape): SQL {
  const request = tableOf(source.list, 'request', valuesOf(source.list, shape))
  return sql`
    select page.*, number from ${request.arrays} with ordinality as request (${request.columns}, number)
    cross join lateral (${toArrays(source, shape, limitRange(source, shape, request.source))}) as page`
}

/** One page over several combinations of values: the first rows of each, then sorted. */
function mergeRanges(source: ListSource, shape: PageShape): SQL {
  const { list } = source
  const combination = tableOf(list, 'combination', shape.equal)
  const direction = sql.raw(shape.scan)
  const key = list.orders[shape.order]?.key
  return sql`
    select matching.* from ${combination.arrays} as combination (${combination.columns})
    cross join lateral (${limitRange(source, shape, combination.source)}) as matching
    order by ${key ? sql`${sql.identifier(key.storedAs)} collate "C" ${direction}, ` : sql``}${nameOf(list.id)} ${direction}
    limit ${parameter('limit', 'int')}`
}

/** A table of array parameters, one column for each of the given values; other values are plain parameters. */
function tableOf(
  list: ListDescription,
  alias: string,
  names: readonly string[],
): { arrays: SQL; columns: SQL; source: Source } {
  return {
    arrays: sql`unnest(${join(names.map((name) => parameter(name, `${typeOf(list, name)}[]`)))})`,
    columns: join(names.map((name) => sql`${sql.identifier(name)}`)),
    source: (name) =>
      names.includes(name) ? sql`${sql.identifier(alias)}.${sql.identifier(name)}` : parameterOf(list)(name),
  }
}

/** The names of the values that a page of this shape takes. */
function valuesOf(list: ListDescription, { equal, order, low, high }: PageShape): string[] {
  const hasKey = list.orders[order] != null
  return [
    'limit',
    ...equal,
    ...(hasKey && low !== 'open' ? ['lowKey'] : []),
    ...(isItem(low) ? ['lowId'] : []),
    ...(hasKey && high !== 'open' ? ['highKey'] : []),
    ...(isItem(high) ? ['highId'] : []),
  ]
}

function isItem(bound: Bound): boolean {
  return bound === 'position' || bound === 'included'
}

function toArrays({ resource: { fields }, list }: ListSource, { order, form }: PageShape, rows: SQL): SQL {
  const limit = sql.raw(String(MAX_BATCHED_TEXT))
  const columns = fields.map((field) => {
    const name = nameOf(field.column)
    return form === 'batched' && isText(field)
      ? sql`case when octet_length(${name}) <= ${limit} then ${name} end`
      : name
  })
  const bytes = fields.filter(isText).map(({ column, isNullable }) => {
    const length = sql`octet_length(${nameOf(column)})`
    return isNullable ? sql`coalesce(${length}, 0)` : length
  })
  const sortKey = list.orders[order]?.key
  const arrays = [...columns, ...(sortKey ? [sql`${sql.identifier(sortKey.storedAs)}`] : [])].map(
    (column) => sql`array_agg(${column})`,
  )
  return sql`select sum(${bytes.length > 0 ? sql.join(bytes, sql` + `) : sql.raw('0')}), ${join(arrays)} from (${rows}) as page`
}

/**
 * The first rows of an index range. The constant limit tells the planner that they are few: it assumes that an unknown limit
 * returns a tenth of the table.
 */
function limitRange(source: ListSource, shape: PageShape, valueOf: Source): SQL {
  return sql`select * from (${selectRange(source, shape, valueOf)} limit ${sql.raw(String(MAX_ROWS))}) as range limit ${valueOf('limit')}`
}

/**
 * All rows of an index range, in order. Its bounds are rows that begin with the filter's values, `(status, id) > ('sold', 7)`: with
 * `status = 'sold' and id > 7` Postgres may choose another index and skip most of the table row by row. (Before PostgreSQL 18, the
 * scan of such a range reads past its end.)
 * @param options keys: which form of the sort keys; filter: a further condition
 */
function selectRange(
  { resource, list }: ListSource,
  shape: Omit<PageShape, 'form'>,
  valueOf: Source,
  { keys = 'expression', filter }: { keys?: KeyForm; filter?: SQL | undefined } = {},
): SQL {
  const { order, low, high, scan } = shape
  const sortKey = list.orders[order]?.key
  const columns = [
    ...equalFilters(list, shape).map(({ use }) => use.column),
    ...(sortKey ? [sortKey[keys]] : []),
    list.id,
  ]
  const compare = (operator: string, kind: Bound, key: string, id: string): SQL | undefined => {
    const item = sortKey ? [key, id] : [id]
    const end = { open: [], key: [key], position: item, included: item }[kind]
    const row = [...shape.equal, ...end].map(valueOf)
    if (row.length === 0) return undefined
    return sql`(${join(columns.slice(0, row.length))}) ${sql.raw(operator)} (${join(row)})`
  }
  const where = and(
    filter,
    compare(low === 'position' ? '>' : '>=', low, 'lowKey', 'lowId'),
    compare(high === 'open' || high === 'included' ? '<=' : '<', high, 'highKey', 'highId'),
    ...conditionsOf(list, shape.conditions, valueOf, keys),
  )
  const orderBy = join(columns.map((column) => sql`${column} ${sql.raw(scan)}`))
  const key = sortKey ? sql`, ${sortKey[keys]} as ${sql.identifier(sortKey.storedAs)}` : sql``
  return sql`select ${columnsOf(resource.fields)}${key} from ${resource.table}${where ? sql` where ${where}` : sql``} order by ${orderBy}`
}

/** Which form of a sort key an index has. */
export type KeyForm = 'expression' | 'stored'

function equalFilters(list: ListDescription, { equal }: Pick<PageShape, 'equal'>) {
  return Object.entries(list.filters).flatMap(([name, { use }]) =>
    use.kind === 'anyOf' && equal.includes(name) ? [{ name, use }] : [],
  )
}

function isAnyOf(name: string, { column }: { column: Column }): SQL {
  return sql`${column} = any(${parameter(name, `${column.getSQLType()}[]`)})`
}

/** The conditions of filters that no index serves; those by prefix are named with their form. */
function conditionsOf(
  list: ListDescription,
  conditions: readonly string[],
  valueOf: Source,
  keys: KeyForm,
): (SQL | undefined)[] {
  return conditions.flatMap((condition) => {
    const [name = '', form] = condition.split(' ')
    const use = list.filters[name]?.use
    if (use?.kind === 'condition') return [use.build(valueOf(name))]
    if (use?.kind !== 'prefix') return []
    return [
      sql`${use.key[keys]} >= ${valueOf(`${name}Low`)}`,
      form === 'between' ? sql`${use.key[keys]} < ${valueOf(`${name}High`)}` : undefined,
    ]
  })
}

/** Counts the rows that match a filter. @returns a function of the filter */
export function createCounter(
  { resource, list }: ListSource,
  keys: KeyForm,
): (filter: FilterOf<ListDescription>) => Statement {
  const templateOf = buildOnce(
    (conditions: readonly string[]) => conditions.join(),
    (conditions) => {
      const query = sql`select count(*) from ${resource.table}${whereAll(list, conditions, keys)}`
      // The best plan depends on the values.
      return buildStatement<string>(statementName('count', resource.words.many), query, { prepare: false })
    },
  )
  return (filter) => {
    const { conditions, values } = toCountQuery(list, filter)
    return templateOf(conditions).with(values)
  }
}

/**
 * Counts the rows that match a filter, for each value of an enumeration. On Postgres, each value is a range of an index that begins
 * with it: grouped rows would be read from an index that does not have the value, or from all of one that begins with it. Citus sends
 * only groups to the shards.
 * @returns a function of the filter's name and the filter, whose statement returns rows of a value and a number; without those of no row on Citus
 */
export function createCounterByValue(
  { resource, list }: ListSource,
  keys: KeyForm,
): (name: string, filter: FilterOf<ListDescription>) => Statement {
  const { table, words } = resource
  const templateOf = buildOnce(
    ({ name, conditions }: { name: string; conditions: readonly string[] }) => [name, ...conditions].join(),
    ({ name, conditions }) => {
      const { column, enumValues } = requireEnumeration(list, name)
      const value = (index: number) => parameter(`${VALUE}${index}`, column.getSQLType())
      const countWhere = (isValue: SQL, shown: SQL) =>
        sql`select ${shown}, count(*) from ${table}${whereAll(list, conditions, keys, isValue)}`
      const query =
        keys === 'stored'
          ? sql`select ${column}, count(*) from ${table}${whereAll(list, conditions, keys)} group by ${column}`
          : sql.join(
              [
                ...enumValues.map((_, index) => countWhere(sql`${column} = ${value(index)}`, value(index))),
                countWhere(sql`${column} is null`, sql`null`),
              ],
              sql` union all `,
            )
      return buildStatement<string>(`${statementName('count', words.many)}By`, query, { prepare: false })
    },
  )
  return (name, filter) => {
    const { conditions, values } = toCountQuery(list, filter)
    requireEnumeration(list, name).enumValues.forEach((value, index) => {
      values[`${VALUE}${index}`] = value
    })
    return templateOf({ name, conditions }).with(values)
  }
}

/** What the names of the parameters for the values of an enumeration begin with. */
const VALUE = 'value.'

/** The column that a filter compares, and the values that it may have. */
export function requireEnumeration(
  list: ListDescription,
  name: string,
): { column: Column; enumValues: readonly string[] } {
  const use = list.filters[name]?.use
  const enumValues = use?.kind === 'anyOf' && use.column.enumValues
  if (!enumValues) throw new Error(`${name} does not filter by an enumeration`)
  return { column: use.column, enumValues }
}

/** The conditions of a count, as `toCountQuery` names them. */
function whereAll(list: ListDescription, conditions: readonly string[], keys: KeyForm, further?: SQL): SQL {
  const equal = equalFilters(list, { equal: conditions }).map(({ name, use }) => isAnyOf(name, use))
  const where = and(further, ...equal, ...conditionsOf(list, conditions, parameterOf(list), keys))
  return where ? sql` where ${where}` : sql``
}

function toCountQuery(
  list: ListDescription,
  filter: FilterOf<ListDescription>,
): { conditions: string[]; values: PageValues } {
  const values: PageValues = {}
  const conditions = Object.entries(list.filters).flatMap(([name, described]) => {
    const { use } = described
    const value = filter[name]
    if (value === undefined) return []
    const parameters = described.toParameters(value)
    if (use.kind !== 'prefix') {
      values[name] = use.kind === 'anyOf' ? makePgArray([...parameters]) : (parameters[0] ?? null)
      return [name]
    }
    const { low = null, high = null } = rangeOfPrefix(parameters[0])
    values[`${name}Low`] = low
    values[`${name}High`] = high
    return low === null ? [] : [`${name} ${high === null ? 'from' : 'between'}`]
  })
  return { conditions, values }
}

function join(parts: readonly (SQL | Column)[]): SQL {
  return sql.join([...parts], sql`, `)
}
