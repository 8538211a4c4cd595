/** What a list can be filtered by, and what a filter means: as input of a client, for the rows of events, and in SQL. */
import { type SQL, sql } from 'drizzle-orm'
import { makePgArray, type PgColumn } from 'drizzle-orm/pg-core'
import { type Problem, throwIfInvalid } from '../../base/service-error.ts'
import type { RowState } from '../../db/events/event-notifications.ts'
import { placeholder } from '../../db/postgres/statement.ts'
import type { RequestData } from '../../db/request-data.ts'
import { expectedTextInstead, typeOf } from '../fields/field-type.ts'
import { SORT_KEY_LENGTH, type SortKey } from '../fields/text-key.ts'
import { fetchSortKey } from './fetch-sort-key.ts'

/** What items are compared with: anything but null and undefined, which stand for no condition. */
// eslint-disable-next-line @typescript-eslint/no-generated-empty-object-type -- this is what is meant
type ConditionValue = NonNullable<unknown>

/**
 * What every filter has. Every member is required, so that none can be forgotten. Those that get its own values are methods, which TypeScript
 * compares less strictly: so filters of different values have one type (Filters).
 * @template Input what a client sends @template Normalized what is made of it
 */
interface CommonFilter<Input, Normalized extends ConditionValue> {
  column: PgColumn
  /** Whether what a client sends, valid or not, stands for no condition; null always does. */
  isNone: (input: unknown) => boolean
  /** What is wrong with what a client sends, after "must". */
  check(input: Input): string | null
  normalize(input: Input, requestData: RequestData): Normalized | Promise<Normalized>
  /** The condition as SQL, and the Postgres type of its value. */
  where: (value: SQL) => SQL
  type: string
  /** The value as `where` needs it. */
  toSqlValue(value: Normalized): string
  /** The same condition for the row of an event. */
  matches(state: RowState, value: Normalized): boolean
}

/** Items whose column has one of some values: see byValues. */
export interface ValuesFilter<
  Input = unknown,
  Normalized extends ConditionValue = ConditionValue,
> extends CommonFilter<Input, Normalized> {
  /** The index by the column, then by id, has a range for each value. */
  index: 'byValue'
  /** The texts of the values. */
  valuesOf(value: Normalized): readonly string[]
}

/** Items that meet a condition of its own. */
export interface WhereFilter<
  Input = unknown,
  Normalized extends ConditionValue = ConditionValue,
> extends CommonFilter<Input, Normalized> {
  /** `bySortKey`: the index by the column, a sort key, then by id, has them in one range; `none`: all items may be read. */
  index: 'bySortKey' | 'none'
}

export type Filter = ValuesFilter | WhereFilter

/** The filters of a list by their names. */
export type Filters = Readonly<Record<string, Filter>>

/** What a client sends for filters, by their names. */
export type FilterInput<Of extends Filters> = {
  readonly [Name in keyof Of]?: Parameters<Of[Name]['check']>[0] | null | undefined
}

/** The normalized values of filters, which are valid; a filter that is no condition has none. */
export type FilterValues<Of extends Filters = Filters> = {
  readonly [Name in keyof Of]?: Awaited<ReturnType<Of[Name]['normalize']>> | undefined
}

/** The members of a filter by values that the others follow from. */
type ValuesDescription = 'column' | 'isNone' | 'check' | 'normalize' | 'valuesOf'

/**
 * Items whose column has one of some values. (The query cost is known before these are: it counts the different members of a list that
 * a client sends.)
 */
export function byValues<Input, Normalized extends ConditionValue>(
  description: Pick<ValuesFilter<Input, Normalized>, ValuesDescription>,
): ValuesFilter<Input, Normalized> {
  const { column, valuesOf } = description
  return {
    ...description,
    index: 'byValue',
    where: (values) => sql`${column} = any(${values})`,
    type: `${typeOf(column).type}[]`,
    toSqlValue: (value) => makePgArray([...valuesOf(value)]),
    matches: (state, value) => {
      const stored = state[column.name]
      return stored != null && valuesOf(value).includes(String(stored))
    },
  }
}

/** The values of a text column in TypeScript. */
type TextOf<Column extends PgColumn> = Column['_']['data'] & string

/**
 * Items whose column has one of the values that a client sends.
 * @param column whose values are strings in TypeScript
 * @param plural what messages call the values @param maximum the maximum number of different ones
 */
export function anyOf<Column extends PgColumn>(
  column: Column,
  plural: string,
  maximum: number,
): ValuesFilter<readonly TextOf<Column>[], readonly TextOf<Column>[]> {
  return byValues({
    column,
    // An empty list is a condition, which no row meets.
    isNone: () => false,
    check: (input: readonly TextOf<Column>[]) =>
      new Set(input).size > maximum ? `have at most ${maximum} different ${plural}` : null,
    // Each value is compared once, however often it was sent.
    normalize: (input) => [...new Set(input)],
    valuesOf: (values) => values,
  })
}

/** Items whose text starts with the value, ignoring case. @param column with the sort keys of the texts; see text-key.ts */
export function prefixOf(column: SortKey): WhereFilter<string, string> {
  return {
    column,
    index: 'bySortKey',
    isNone: (input) => input === '',
    check: (input) => {
      if (Array.from(input).length > SORT_KEY_LENGTH) return `have at most ${SORT_KEY_LENGTH} characters`
      const expected = expectedTextInstead(input)
      return expected && `be ${expected}`
    },
    normalize: (input, requestData) => fetchSortKey(requestData, input),
    where: (pattern) => sql`${column} like ${pattern}`,
    type: 'text',
    toSqlValue: (prefix) => `${prefix.replaceAll(/[\\%_]/g, '\\$&')}%`,
    matches: (state, prefix) => String(state[column.name] ?? '').startsWith(prefix),
  }
}

/** A filter, and what a client has sent for it, valid or not. */
export interface SentCondition {
  name: string
  filter: Filter
  input: unknown
}

/** The filters that are a condition. @param sent what a client has sent for them, valid or not */
export function sentConditionsOf(filters: Filters, sent: object | null | undefined): SentCondition[] {
  return Object.entries(sent ?? {}).flatMap(([name, input]: [string, unknown]) => {
    const filter = findFilter(filters, name)
    return filter && input != null && !filter.isNone(input) ? [{ name, filter, input }] : []
  })
}

/** A filter, and its normalized value. */
export interface Condition {
  name: string
  filter: Filter
  value: ConditionValue
}

/** The filters that are a condition. */
export function conditionsOf<Of extends Filters>(filters: Of, values: FilterValues<Of>): Condition[] {
  return Object.entries(values).flatMap(([name, value]: [string, unknown]) => {
    const filter = findFilter(filters, name)
    return filter && value != null ? [{ name, filter, value }] : []
  })
}

function findFilter(filters: Filters, name: string): Filter | undefined {
  return Object.hasOwn(filters, name) ? filters[name] : undefined
}

/** What is wrong with conditions, for throwIfInvalid. */
export function findProblems(conditions: readonly SentCondition[]): Problem[] {
  return conditions.flatMap(({ name, filter, input }) => {
    const problem = filter.check(input)
    return problem === null ? [] : [{ argument: `filter.${name}`, message: `${name} must ${problem}.` }]
  })
}

/** @param conditions in which findProblems has found none */
export async function normalize<Of extends Filters>(
  conditions: readonly SentCondition[],
  requestData: RequestData,
): Promise<FilterValues<Of>> {
  const values = conditions.map(
    async ({ name, filter, input }) => [name, await filter.normalize(input, requestData)] as const,
  )
  // Each filter makes values of its own type.
  return Object.fromEntries(await Promise.all(values)) as FilterValues<Of>
}

/**
 * Reads what a client has sent as a filter.
 * @throws ServiceError INVALID_VALUE that names the invalid conditions
 */
export async function readFilter<Of extends Filters>(
  filters: Of,
  sent: FilterInput<Of> | null | undefined,
  requestData: RequestData,
): Promise<FilterValues<Of>> {
  const conditions = sentConditionsOf(filters, sent)
  throwIfInvalid(findProblems(conditions))
  return normalize<Of>(conditions, requestData)
}

/** Whether a row matches all filters. */
export function matchesFilters<Of extends Filters>(
  filters: Of,
  state: RowState,
  values: FilterValues<Of>,
): boolean {
  return conditionsOf(filters, values).every(({ filter, value }) => filter.matches(state, value))
}

/** The conditions of the filters that have a value, with these values. */
export function whereFilters<Of extends Filters>(filters: Of, values: FilterValues<Of>): SQL[] {
  return conditionsOf(filters, values).map(({ filter, value }) =>
    filter.where(sql`${filter.toSqlValue(value)}::${sql.raw(filter.type)}`),
  )
}

/**
 * The conditions of all filters, with placeholders by their names; toOptionalValues has what these are sent. Those of a filter without
 * a value are null: Postgres drops them when it plans the statement.
 */
export function whereOptionalFilters(filters: Filters): SQL[] {
  return Object.entries(filters).map(([name, filter]) => {
    const value = placeholder(name, filter.type)
    return sql`(${value} is null or ${filter.where(value)})`
  })
}

/** What is sent for whereOptionalFilters. */
export function toOptionalValues<Of extends Filters>(
  filters: Of,
  values: FilterValues<Of>,
): Record<string, string | null> {
  const sent: Record<string, string | null> = {}
  for (const name of Object.keys(filters)) sent[name] = null
  for (const { name, filter, value } of conditionsOf(filters, values)) sent[name] = filter.toSqlValue(value)
  return sent
}
