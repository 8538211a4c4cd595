/** What a list can be filtered and ordered by; indexes, pages, counts, costs, and which events match follow from it. */
import { type SQL, sql } from 'drizzle-orm'
import { type AnyPgColumn, index, type IndexBuilder, type PgColumn } from 'drizzle-orm/pg-core'
import type { Problem } from '../base/service-error.ts'
import type { RowState } from '../db/events/row-event.ts'
import type { RequestData } from '../db/request-data.ts'
import { KEY_LENGTH, readSortKey } from './text-key.ts'
import { checkText } from './item-validation.ts'

/** How a filter restricts a page. */
export type FilterUse =
  /** Each value is an index range of its own; `most` is the maximum number of distinct values. */
  | { kind: 'anyOf'; column: PgColumn; indexedAs: string; most: number }
  /** The values are a range of a sort key: those that start with a prefix. In other orders, all rows may be read. */
  | { kind: 'prefix'; key: PgColumn }
  /** A condition on one value, which no index serves: all rows may be read. */
  | { kind: 'condition'; column: PgColumn; build: (value: SQL) => SQL }

/** A filter. Every member is required, so that none can be forgotten. */
export interface Filter<Sent = unknown, Stored = unknown> {
  /** What the SQL and the query cost follow from. */
  use: FilterUse
  /** What is wrong with a value, after "must". */
  check(sent: Sent): string | null
  /** What statements and events are compared with; undefined: everything matches. */
  toStored(sent: Sent, requestData: RequestData): Stored | undefined | Promise<Stored | undefined>
  matches(state: RowState, value: Stored): boolean
}

/** An order by a column, then by id; null: by id alone. */
type Order = { key: PgColumn; indexedAs: string } | null

export interface ListDescription {
  id: AnyPgColumn
  filters: Readonly<Record<string, Filter>>
  orders: Readonly<Record<string, Order>>
}

/** The values of the filters, as statements compare them. */
export type FilterOf<List extends ListDescription> = {
  readonly [Name in keyof List['filters']]?: Parameters<List['filters'][Name]['matches']>[1] | undefined
}

/** The same, as sent by a client. */
export type SentFilterOf<List extends ListDescription> = {
  readonly [Name in keyof List['filters']]?: Parameters<List['filters'][Name]['check']>[0] | null | undefined
}

/**
 * Rows whose column has one of the values.
 * @param options indexedAs: its part in the names of indexes; plural: what messages call its values; most: the maximum number of distinct values
 */
export function anyOf<Member extends string>(
  column: AnyPgColumn,
  options: { indexedAs: string; plural: string; most?: number },
): Filter<readonly Member[], readonly Member[]> {
  const { indexedAs, plural, most = column.enumValues?.length ?? 1 } = options
  return {
    use: { kind: 'anyOf', column, indexedAs, most },
    check: (sent) => (new Set(sent).size > most ? `have at most ${most} different ${plural}` : null),
    // Each value is compared once, however often it was sent.
    toStored: (sent) => [...new Set(sent)],
    matches: (state, values) => values.some((value) => value === state[column.name]),
  }
}

/** Rows whose text starts with the value, ignoring case. @param key the column with its key; see text-key.ts */
export function prefixOf(key: AnyPgColumn): Filter<string, string> {
  return {
    use: { kind: 'prefix', key },
    check: (sent) => {
      if (Array.from(sent).length > KEY_LENGTH) return `have at most ${KEY_LENGTH} characters`
      const expected = checkText(sent)
      return expected && `be ${expected}`
    },
    toStored: (sent, requestData) => (sent === '' ? undefined : readSortKey(requestData, sent)),
    matches: (state, prefix) => String(state[key.name] ?? '').startsWith(prefix),
  }
}

/** Rows whose number is the value or more. */
export function atLeast(column: AnyPgColumn): Filter<number, number> {
  return {
    // Its type is read later: while a table is being defined, its columns have none.
    use: { kind: 'condition', column, build: (value) => sql`${column} >= ${value}` },
    check: () => null,
    toStored: (sent) => sent,
    matches: (state, least) => {
      const value = state[column.name]
      // An int64 is a string of digits.
      return typeof value === 'string' ? BigInt(value) >= least : typeof value === 'number' && value >= least
    },
  }
}

/** One index for each combination of filters in each order, so that a page reads only the rows that it returns. */
export function indexesOf(table: string, { id, filters, orders }: ListDescription): IndexBuilder[] {
  const ranges = Object.values(filters).flatMap(({ use }) => (use.kind === 'anyOf' ? [use] : []))
  const combinations = ranges.reduce<(typeof ranges)[]>(
    (subsets, range) => [...subsets, ...subsets.map((subset) => [...subset, range])],
    [[]],
  )
  return Object.values(orders).flatMap((order) =>
    combinations
      // The primary key is the index of a list by id.
      .filter((combination) => order !== null || combination.length > 0)
      .map((combination) => {
        const names = [...combination, order ?? { indexedAs: 'id' }].map(({ indexedAs }) => indexedAs)
        const columns = combination.map(({ column }) => column)
        const [first, ...others] = [...columns, ...(order ? [order.key] : []), id]
        return index([table, ...names].join('_')).on(first, ...others)
      }),
  )
}

/**
 * @returns the order of a page whose client asks for none: by the key that its filter needs, otherwise by id
 * @throws Error if two filters are ranges of the same key: a page reads one range of it
 */
export function defaultOrderOf<List extends ListDescription>({ filters, orders }: List) {
  const names = Object.keys(orders) as (keyof List['orders'] & string)[]
  const ordersBy = (key: PgColumn | undefined) =>
    names.filter((name) => orders[name]?.key === key).map((field) => ({ field, direction: 'ASC' as const }))
  const [byId] = ordersBy(undefined)
  if (!byId) throw new Error('A list needs an order by id')
  const prefixes = Object.entries(filters).flatMap(([filter, { use }]) =>
    use.kind === 'prefix' ? [{ filter, key: use.key }] : [],
  )
  if (new Set(prefixes.map(({ key }) => key)).size < prefixes.length)
    throw new Error('A list can have only one filter by the prefix of a key')
  const byFilter = prefixes.flatMap(({ filter, key }) => ordersBy(key).map((order) => ({ filter, order })))
  return (sent: Readonly<Record<string, unknown>> | null | undefined) => {
    for (const { filter, order } of byFilter) if (sent?.[filter]) return order
    return byId
  }
}

/** The filters that a client sent, with their values; `null` counts as not sent. */
function sentFilters(
  list: ListDescription,
  sent: object | null | undefined,
): { name: string; filter: Filter; value: unknown }[] {
  if (sent == null) return []
  const values = new Map<string, unknown>(Object.entries(sent))
  return Object.entries(list.filters).flatMap(([name, filter]) => {
    const value = values.get(name)
    return value == null ? [] : [{ name, filter, value }]
  })
}

/** What is wrong with a filter. */
export function checkFilter<List extends ListDescription>(
  list: List,
  sent: SentFilterOf<List> | null | undefined,
): (Problem | null)[] {
  return sentFilters(list, sent).map(({ name, filter, value }) => {
    const problem = filter.check(value)
    return problem === null ? null : { argument: `filter.${name}`, message: `${name} must ${problem}.` }
  })
}

/** Converts a valid filter to what statements and events are compared with. */
export async function toFilter<List extends ListDescription>(
  list: List,
  sent: SentFilterOf<List> | null | undefined,
  requestData: RequestData,
): Promise<FilterOf<List>> {
  const values = await Promise.all(
    sentFilters(list, sent).map(
      async ({ name, filter, value }) => [name, await filter.toStored(value, requestData)] as const,
    ),
  )
  // Each filter makes values of its own type.
  return Object.fromEntries(values.filter(([, value]) => value !== undefined)) as FilterOf<List>
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
