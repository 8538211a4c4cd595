/** What a list can be filtered by, and what a filter means: as input of a client, for the rows of events, and in SQL. */
import { type SQL, sql } from 'drizzle-orm'
import { makePgArray, type PgColumn } from 'drizzle-orm/pg-core'
import { type Problem, throwIfInvalid } from '../../base/service-error.ts'
import type { RowState } from '../../db/events/event-notifications.ts'
import { placeholder } from '../../db/postgres/statement.ts'
import type { RequestData } from '../../db/request-data.ts'
import { expectedTextInstead, typeOf, type Value } from '../fields/field-type.ts'
import { SORT_KEY_LENGTH, type SortKey } from '../fields/text-key.ts'
import { fetchSortKey } from './fetch-sort-key.ts'

/** What items are compared with: anything but null and undefined, which stand for no condition. */
// eslint-disable-next-line @typescript-eslint/no-generated-empty-object-type -- this is what is meant
type ConditionValue = NonNullable<unknown>

/**
 * What every filter has. The members that get its own values are methods, which TypeScript compares less strictly: so filters of different
 * values have one type (Filters).
 * @template Input what a client sends, and what is made of it
 */
interface CommonFilter<Input extends ConditionValue> {
  column: PgColumn
  /** Whether what a client sends, valid or not, stands for no condition; null always does. */
  isNone: (input: unknown) => boolean
  /** What is wrong with what a client sends, after "must"; its texts are valid for Postgres. */
  check(input: Input): string | null
  /** Makes the value of the condition of valid input. */
  normalize(input: Input, requestData: RequestData): Input | Promise<Input>
  /** The condition as SQL, and the Postgres type of its value. */
  where: (value: SQL) => SQL
  type: string
  /** Whether clients may send any text; GraphQL checks those of an enumeration or int64. */
  isAnyText: boolean
  /** The value as `where` needs it. */
  toSqlValue(value: Input): string
  /** The same condition for an event. @param stored what its row has in the column */
  matches(stored: Value, value: Input): boolean
}

/** Items whose column has one of some values: see anyOf. */
export interface ValuesFilter<Input extends ConditionValue = ConditionValue> extends CommonFilter<Input> {
  /** The index by the column, then by id, has a range for each value. */
  index: 'byValue'
  /** The values as texts: different ones. */
  valuesOf(value: Input): readonly string[]
}

/** Items whose column meets a condition: see byCondition. */
interface ConditionFilter<Input extends ConditionValue = ConditionValue> extends CommonFilter<Input> {
  /** `bySortKey`: the index by the column, a sort key, then by id, has them in one range; `none`: all items may be read. */
  index: 'bySortKey' | 'none'
}

export type Filter = ValuesFilter | ConditionFilter

/** The filters of a list by their names. */
export type Filters = Readonly<Record<string, Filter>>

/** The normalized values of filters, which are valid; a filter that is no condition has none. */
export type FilterValues<Of extends Filters = Filters> = {
  readonly [Name in keyof Of]?: Parameters<Of[Name]['check']>[0] | undefined
}

/** What a client sends for filters, by their names. */
export type FilterInput<Of extends Filters> = {
  readonly [Name in keyof Of]?: FilterValues<Of>[Name] | null
}

/** Of a filter that says nothing else: all that clients send is a condition, valid, and its value. */
const asSent = {
  isNone: () => false,
  check: () => null,
  normalize: <Input>(input: Input) => input,
}

/** Items whose column meets a condition. `where` and `matches` must mean the same: a page and its live updates. */
export function byCondition<Input extends NonNullable<Value>>(
  description: Pick<ConditionFilter<Input>, 'column' | 'where' | 'matches'> & Partial<ConditionFilter<Input>>,
): ConditionFilter<Input> {
  const { column, type = typeOf(column).type } = description
  return { ...asSent, index: 'none', toSqlValue: String, ...description, type, isAnyText: isAnyText(type) }
}

/** Whether the values of a Postgres type are any texts. */
function isAnyText(type: string): boolean {
  return type === 'text' || type === 'varchar'
}

/** The values of a text column in TypeScript. */
type TextOf<Column extends PgColumn> = Column['_']['data'] & string

/**
 * Items whose column has one of the values that a client sends. An empty list is a condition, which no item meets. The query cost counts the
 * different members of the list before they are checked (graphql/limits/page-cost.ts), so a condition must not have more values than those.
 * @param column whose values are strings in TypeScript
 * @param plural what messages call the values @param maximum the maximum number of different ones
 */
export function anyOf<Column extends PgColumn>(
  column: Column,
  plural: string,
  maximum: number,
): ValuesFilter<readonly TextOf<Column>[]> {
  const { type } = typeOf(column)
  return {
    ...asSent,
    column,
    index: 'byValue',
    check: (input) => (new Set(input).size > maximum ? `have at most ${maximum} different ${plural}` : null),
    // Each value is compared once, and has one range of the index, however often it was sent.
    normalize: (input) => [...new Set(input)],
    valuesOf: (values) => values,
    where: (values) => sql`${column} = any(${values})`,
    type: `${type}[]`,
    isAnyText: isAnyText(type),
    toSqlValue: (values) => makePgArray([...values]),
    matches: (stored, values: readonly string[]) => stored !== null && values.includes(String(stored)),
  }
}

/** Items whose text starts with the value, ignoring case. @param column with the sort keys of the texts; see text-key.ts */
export function prefixOf(column: SortKey): ConditionFilter<string> {
  return byCondition<string>({
    column,
    index: 'bySortKey',
    isNone: (input) => input === '',
    check: (input) =>
      Array.from(input).length > SORT_KEY_LENGTH ? `have at most ${SORT_KEY_LENGTH} characters` : null,
    normalize: (input, requestData) => fetchSortKey(requestData, input),
    where: (pattern) => sql`${column} like ${pattern}`,
    type: 'text',
    toSqlValue: (prefix) => `${prefix.replaceAll(/[\\%_]/g, '\\$&')}%`,
    matches: (stored, prefix) => String(stored ?? '').startsWith(prefix),
  })
}

/** A filter, and what a client has sent for it, valid or not: never null. */
export interface SentCondition {
  name: string
  filter: Filter
  sent: ConditionValue
}

/** The filters that are a condition, before they are validated. @param sent what a client has sent for them; other names are ignored */
export function sentConditionsOf(filters: Filters, sent: object | null | undefined): SentCondition[] {
  const conditions: SentCondition[] = []
  const entries: [string, unknown][] = Object.entries(sent ?? {})
  for (const [name, value] of entries) {
    const filter = Object.hasOwn(filters, name) ? filters[name] : undefined
    if (filter && value != null && !filter.isNone(value)) conditions.push({ name, filter, sent: value })
  }
  return conditions
}

/**
 * Validates conditions, and makes the values of their filters.
 * @param otherProblems of the same request
 * @throws ServiceError INVALID_VALUE that names all problems
 */
export async function readConditions<Of extends Filters>(
  conditions: readonly SentCondition[],
  requestData: RequestData,
  otherProblems: readonly (Problem | null)[] = [],
): Promise<FilterValues<Of>> {
  throwIfInvalid([...otherProblems, ...conditions.map(findProblem)])
  const values: Record<string, ConditionValue> = {}
  for (const { name, filter, sent } of conditions) values[name] = await filter.normalize(sent, requestData)
  return values
}

function findProblem({ name, filter, sent }: SentCondition): Problem | null {
  const problem = (filter.isAnyText ? findTextProblem(sent) : null) ?? filter.check(sent)
  return problem === null ? null : { argument: `filter.${name}`, message: `${name} must ${problem}.` }
}

/** Finds a text that Postgres would reject (U+0000), or compare as another one. @param sent a text, or a list of them */
function findTextProblem(sent: ConditionValue): string | null {
  const isList = Array.isArray(sent)
  for (const value of isList ? (sent as readonly unknown[]) : [sent]) {
    const expected = typeof value === 'string' ? expectedTextInstead(value) : null
    if (expected !== null) return isList ? `each be ${expected}` : `be ${expected}`
  }
  return null
}

/** Reads what a client has sent as a filter. @throws as readConditions */
export function readFilter<Of extends Filters>(
  filters: Of,
  sent: FilterInput<Of> | null | undefined,
  requestData: RequestData,
): Promise<FilterValues<Of>> {
  return readConditions<Of>(sentConditionsOf(filters, sent), requestData)
}

/** A filter, and its value. */
interface Condition {
  filter: Filter
  value: ConditionValue
}

/** The filters that have a value. @throws Error if a name is no filter: all items would match */
export function conditionsOf<Of extends Filters>(filters: Of, values: FilterValues<Of>): Condition[] {
  const conditions: Condition[] = []
  for (const [name, value] of Object.entries<unknown>(values)) {
    const filter = filters[name]
    if (!filter) throw new Error(`${name} is no filter`)
    if (value != null) conditions.push({ filter, value })
  }
  return conditions
}

/** Whether a row matches all filters. */
export function matchesFilters<Of extends Filters>(
  filters: Of,
  row: RowState,
  values: FilterValues<Of>,
): boolean {
  return conditionsOf(filters, values).every(({ filter, value }) =>
    filter.matches(row[filter.column.name] ?? null, value),
  )
}

/** The conditions of the filters that have a value, with these values. */
export function whereFilters<Of extends Filters>(filters: Of, values: FilterValues<Of>): SQL[] {
  return conditionsOf(filters, values).map(({ filter, value }) =>
    filter.where(sql`${filter.toSqlValue(value)}::${sql.raw(filter.type)}`),
  )
}

/** All filters in one statement, whichever of them have a value. */
export function optionalFilters(filters: Filters) {
  const all = Object.entries(filters)
  return {
    /** The condition of each filter, with a placeholder by its name. Postgres drops it from its plan if that is sent null. */
    conditions: all.map(([name, filter]) => {
      const value = placeholder(name, filter.type)
      return sql`(${value} is null or ${filter.where(value)})`
    }),
    /** What the placeholders are sent: null if a filter has no value. */
    valuesOf(values: FilterValues): Record<string, string | null> {
      const sent: Record<string, string | null> = {}
      for (const [name, filter] of all) {
        const value = values[name]
        sent[name] = value == null ? null : filter.toSqlValue(value)
      }
      return sent
    },
  }
}
