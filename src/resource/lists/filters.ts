/** What a list can be filtered by, and what a filter means: as input of a client, for the rows of events, and in SQL. */
import { type SQL, sql } from 'drizzle-orm'
import { makePgArray, type PgColumn } from 'drizzle-orm/pg-core'
import { type Problem, throwIfInvalid } from '../../base/service-error.ts'
import type { RowState } from '../../db/events/event-notifications.ts'
import { placeholder } from '../../db/postgres/statement.ts'
import type { RequestData } from '../../db/request-data.ts'
import { expectedTextInstead, typeOf } from '../fields/field-type.ts'
import { SORT_KEY_LENGTH } from '../fields/text-key.ts'
import { fetchSortKey } from './fetch-sort-key.ts'

/**
 * What every filter has. Every member is required, so that none can be forgotten. Those that get its own values are methods, which TypeScript
 * compares less strictly: so filters of different values have one type (Filters).
 */
interface CommonFilter<Input, Normalized> {
  column: PgColumn
  /** Whether a value, valid or not, stands for no condition; null always does. */
  isNone: (input: unknown) => boolean
  /** What is wrong with a value, after "must". */
  check(input: Input): string | null
  /** The value that items and the rows of events are compared with. */
  normalize(input: Input, requestData: RequestData): Normalized | Promise<Normalized>
}

/**
 * Items whose column has one of some values. Its index, by the column, then by id, has a range for each of them; what the filter means in SQL
 * and for events follows from the values. (The query cost is known before: it counts the different members of a list that a client sends.)
 */
export interface ValuesFilter<Input = unknown, Normalized = unknown> extends CommonFilter<Input, Normalized> {
  index: 'each'
  /** The texts of the values. */
  valuesOf(value: Normalized): readonly string[]
}

/** Items that meet a condition of its own. */
export interface WhereFilter<Input = unknown, Normalized = unknown> extends CommonFilter<Input, Normalized> {
  /** `sorted`: the index by the column, a sort key, then by id, has them in one range; `none`: all items may be read. */
  index: 'sorted' | 'none'
  /** The condition as SQL, and the Postgres type of its value. */
  where: (value: SQL) => SQL
  type: string
  /** The normalized value as `where` needs it. */
  toSqlValue(value: Normalized): string
  /** The same condition for the row of an event. */
  matches(state: RowState, value: Normalized): boolean
}

export type Filter = ValuesFilter | WhereFilter

/** The filters of a list by their names. */
export type Filters = Readonly<Record<string, Filter>>

/** The normalized values of filters; an absent filter has none. */
export type FilterValues<Of extends Filters = Filters> = {
  readonly [Name in keyof Of]?: Awaited<ReturnType<Of[Name]['normalize']>> | undefined
}

/** The values of filters as a client sends them. */
export type FilterInput<Of extends Filters> = {
  readonly [Name in keyof Of]?: Parameters<Of[Name]['check']>[0] | null | undefined
}

/**
 * Rows whose column has one of the values.
 * @param plural what messages call the values @param maximum the maximum number of different ones
 */
export function anyOf<Member extends string>(
  column: PgColumn,
  plural: string,
  maximum: number,
): ValuesFilter<readonly Member[], readonly Member[]> {
  return {
    column,
    index: 'each',
    // An empty list is a condition, which no row meets.
    isNone: () => false,
    check: (input) => (new Set(input).size > maximum ? `have at most ${maximum} different ${plural}` : null),
    // Each value is compared once, however often it was sent.
    normalize: (input) => [...new Set(input)],
    valuesOf: (values) => values,
  }
}

/** Rows whose text starts with the value, ignoring case. @param column with the sort keys of the texts; see text-key.ts */
export function prefixOf(column: PgColumn): WhereFilter<string, string> {
  return {
    column,
    index: 'sorted',
    where: (pattern) => sql`${column} like ${pattern}`,
    type: 'text',
    isNone: (input) => input === '',
    check: (input) => {
      if (Array.from(input).length > SORT_KEY_LENGTH) return `have at most ${SORT_KEY_LENGTH} characters`
      const expected = expectedTextInstead(input)
      return expected && `be ${expected}`
    },
    normalize: (input, requestData) => fetchSortKey(requestData, input),
    toSqlValue: (prefix) => `${prefix.replaceAll(/[\\%_]/g, '\\$&')}%`,
    matches: (state, prefix) => String(state[column.name] ?? '').startsWith(prefix),
  }
}

/** A filter and its value. */
export interface Condition {
  name: string
  filter: Filter
  value: unknown
}

/** The filters that have a value. @param values as `readFilter` returns them: none stands for no condition */
export function conditionsOf(filters: Filters, values: FilterValues): Condition[] {
  return Object.entries(values).flatMap(([name, value]: [string, unknown]) => {
    const filter = Object.hasOwn(filters, name) ? filters[name] : undefined
    return !filter || value == null ? [] : [{ name, filter, value }]
  })
}

/** The filters that are a condition. @param input as a client sent it, valid or not */
export function listConditions(filters: Filters, input: object | null | undefined): Condition[] {
  return conditionsOf(filters, input ?? {}).filter(({ filter, value }) => !filter.isNone(value))
}

/**
 * Reads what a client sent as a filter.
 * @param otherProblems what is wrong with other arguments, to be reported together
 * @throws ServiceError INVALID_VALUE that names the invalid conditions
 */
export async function readFilter<Of extends Filters>(
  filters: Of,
  input: FilterInput<Of> | null | undefined,
  requestData: RequestData,
  otherProblems: readonly (Problem | null)[] = [],
): Promise<FilterValues<Of>> {
  const conditions = listConditions(filters, input)
  throwIfInvalid([...otherProblems, ...conditions.map(findProblem)])
  const values: Record<string, unknown> = {}
  for (const { name, filter, value } of conditions) values[name] = await filter.normalize(value, requestData)
  // Each filter makes values of its own type.
  return values as FilterValues<Of>
}

function findProblem({ name, filter, value }: Condition): Problem | null {
  const problem = filter.check(value)
  return problem === null ? null : { argument: `filter.${name}`, message: `${name} must ${problem}.` }
}

/** Whether a row matches all filters. */
export function matchesFilters<Of extends Filters>(
  filters: Of,
  state: RowState,
  values: FilterValues<Of>,
): boolean {
  return conditionsOf(filters, values).every(({ filter, value }) => {
    if (filter.index !== 'each') return filter.matches(state, value)
    const stored = state[filter.column.name]
    return stored != null && filter.valuesOf(value).includes(String(stored))
  })
}

/** The condition of a filter. @param value of sqlTypeOf */
function whereOf(filter: Filter, value: SQL): SQL {
  return filter.index === 'each' ? sql`${filter.column} = any(${value})` : filter.where(value)
}

function sqlTypeOf(filter: Filter): string {
  return filter.index === 'each' ? `${typeOf(filter.column).type}[]` : filter.type
}

function sqlValueOf(filter: Filter, value: unknown): string {
  return filter.index === 'each' ? makePgArray([...filter.valuesOf(value)]) : filter.toSqlValue(value)
}

/**
 * The conditions of all filters, with placeholders. Those of a filter without a value are null: Postgres drops them when it
 * plans the statement.
 */
export function whereOptionalFilters(filters: Filters): SQL[] {
  return Object.entries(filters).map(([name, filter]) => {
    const value = placeholder(name, sqlTypeOf(filter))
    return sql`(${value} is null or ${whereOf(filter, value)})`
  })
}

/** The values of filters for whereOptionalFilters. */
export function toSqlFilter(filters: Filters, values: FilterValues): Record<string, string | null> {
  return Object.fromEntries(
    Object.entries(filters).map(([name, filter]) => {
      const value = values[name]
      return [name, value === undefined ? null : sqlValueOf(filter, value)]
    }),
  )
}

/** The conditions of the filters that have a value, with these values. */
export function whereFilters(filters: Filters, values: FilterValues): SQL[] {
  return conditionsOf(filters, values).map(({ filter, value }) =>
    whereOf(filter, sql`${sqlValueOf(filter, value)}::${sql.raw(sqlTypeOf(filter))}`),
  )
}
