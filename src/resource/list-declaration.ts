/** What a list can be filtered and ordered by. Its pages and counts, what they cost, and which events match follow from it. */
import { type SQL, sql } from 'drizzle-orm'
import { makePgArray, type PgColumn } from 'drizzle-orm/pg-core'
import type { Problem } from '../base/service-error.ts'
import type { RowState } from '../db/events/event-notifications.ts'
import type { RequestData } from '../db/request-data.ts'
import { checkText } from './item-validation.ts'
import { KEY_LENGTH, fetchSortKey } from './text-key.ts'

/** The number of items on a page, in both APIs, as in the contract. */
export const PAGE_SIZE = { maximum: 100, default: 20 } as const

/** A filter. Every member is required, so that none can be forgotten. */
export interface Filter<Input = unknown, Normalized = unknown> {
  column: PgColumn
  /** How an index serves it. `each`: a range for each value, by id; `key`: one range of the order by its column, a sort key; `none`: not at all. */
  index: 'each' | 'key' | 'none'
  /** The condition as SQL, and the Postgres type of its value. */
  where(value: SQL): SQL
  type: string
  /** What is wrong with a value, after "must". */
  check(input: Input): string | null
  /** The value that the rows of events are compared with. */
  normalize(input: Input, requestData: RequestData): Normalized | Promise<Normalized>
  matches(state: RowState, value: Normalized): boolean
  /** The same value as the parameter of a statement. */
  toSqlParameter(value: Normalized): string
}

export interface ListDescription {
  filters: Readonly<Record<string, Filter>>
  /** Each order is by a sort key, then by id; null: by id alone. */
  orders: Readonly<Record<string, PgColumn | null>>
}

/** A position in a list: items with equal sort keys are ordered by id. */
export interface ListCursor {
  id: string
  /** Null in a list by id. */
  sortKey: string | null
}

/** The values of the filters, as events compare them. */
export type FilterOf<List extends ListDescription> = {
  readonly [Name in keyof List['filters']]?: Parameters<List['filters'][Name]['matches']>[1] | undefined
}

/** The same, as sent by a client. */
export type FilterInputOf<List extends ListDescription> = {
  readonly [Name in keyof List['filters']]?: Parameters<List['filters'][Name]['check']>[0] | null | undefined
}

/**
 * Rows whose column has one of the values. The table needs an index by the column, then by id.
 * @param plural what messages call the values @param maximum the maximum number of different ones
 */
export function anyOf<Member extends string>(
  column: PgColumn,
  plural: string,
  maximum: number,
): Filter<readonly Member[], readonly Member[]> {
  return {
    column,
    index: 'each',
    where: (values) => sql`${column} = any(${values})`,
    type: `${column.getSQLType()}[]`,
    check: (input) => (new Set(input).size > maximum ? `have at most ${maximum} different ${plural}` : null),
    // Each value is compared once, however often it was sent.
    normalize: (input) => [...new Set(input)],
    matches: (state, values) => values.some((value) => value === state[column.name]),
    toSqlParameter: (values) => makePgArray([...values]),
  }
}

/** Rows whose text starts with the value, ignoring case. @param column with the sort keys of the texts; see text-key.ts */
export function prefixOf(column: PgColumn): Filter<string, string> {
  return {
    column,
    index: 'key',
    where: (pattern) => sql`${column} like ${pattern}`,
    type: 'text',
    check: (input) => {
      if (Array.from(input).length > KEY_LENGTH) return `have at most ${KEY_LENGTH} characters`
      const expected = checkText(input)
      return expected && `be ${expected}`
    },
    normalize: (input, requestData) => fetchSortKey(requestData, input),
    matches: (state, prefix) => String(state[column.name] ?? '').startsWith(prefix),
    toSqlParameter: (prefix) => `${prefix.replaceAll(/[\\%_]/g, '\\$&')}%`,
  }
}

/** The filters that a client sent, with their values. */
export interface FilterInputs<List extends ListDescription = ListDescription> {
  list: List
  inputs: readonly { name: string; filter: Filter; value: unknown }[]
}

/** Reads a filter, valid or not. `null` and an empty prefix are no conditions: they count as absent. */
export function readFilters<List extends ListDescription>(
  list: List,
  values: FilterInputOf<List> | object | null | undefined,
): FilterInputs<List> {
  const inputs: { name: string; filter: Filter; value: unknown }[] = []
  if (!values) return { list, inputs }
  for (const [name, filter] of Object.entries(list.filters)) {
    const value: unknown = Reflect.get(values, name)
    if (value != null && value !== '') inputs.push({ name, filter, value })
  }
  return { list, inputs }
}

/** What is wrong with a filter. */
export function checkFilters({ inputs }: FilterInputs): (Problem | null)[] {
  return inputs.map(({ name, filter, value }) => {
    const problem = filter.check(value)
    return problem === null ? null : { argument: `filter.${name}`, message: `${name} must ${problem}.` }
  })
}

/** Converts a valid filter to what statements and events are compared with. */
export async function toFilter<List extends ListDescription>(
  { inputs }: FilterInputs<List>,
  requestData: RequestData,
): Promise<FilterOf<List>> {
  const values: Record<string, unknown> = {}
  for (const { name, filter, value } of inputs) values[name] = await filter.normalize(value, requestData)
  // Each filter makes values of its own type.
  return values
}

/** Whether a row matches all filters. */
export function matchesFilter<List extends ListDescription>(
  list: List,
  state: RowState,
  filter: FilterOf<List>,
): boolean {
  for (const [name, value] of Object.entries(filter)) {
    if (value !== undefined && list.filters[name]?.matches(state, value) === false) return false
  }
  return true
}

/** The order of a page if the client names none: by the sort key of which its filter is a range, otherwise by id. */
export function defaultOrderOf<List extends ListDescription>({
  list: { orders },
  inputs,
}: FilterInputs<List>) {
  const names = Object.keys(orders) as (keyof List['orders'] & string)[]
  const range = inputs.find(({ filter }) => filter.index === 'key')
  const field = names.find((name) => orders[name] === (range?.filter.column ?? null))
  if (field === undefined) throw new Error('A list needs an order by id, and by the column of each prefix')
  return { field, direction: 'ASC' as const }
}

/**
 * How a page is read, as far as its arguments tell, valid or not. A page that is not `mixed` is a part of one index: all items, those
 * with one value by id, or those with a prefix by that key. For any other, Postgres chooses an index, sorts or skips items.
 */
export function indexUseOf({ list, inputs }: FilterInputs, order: unknown) {
  const key = (typeof order === 'string' && list.orders[order]) || null
  const columns = new Set(inputs.map(({ filter }) => filter.column))
  if (key) columns.add(key)
  // 7 and "7" are one int64.
  const canonicalize = (value: unknown) => (typeof value === 'number' ? String(value) : value)
  const hasSeveral = inputs.some(
    ({ value }) => Array.isArray(value) && new Set(value.map(canonicalize)).size > 1,
  )
  return {
    isMixed: columns.size > 1 || hasSeveral,
    /** Whether no index serves one of the filters, so that all items may be read. */
    mayScan: inputs.some(
      ({ filter: { index, column } }) => index === 'none' || (index === 'key' && column !== key),
    ),
  }
}
