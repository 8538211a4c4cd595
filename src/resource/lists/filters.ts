/** What a list can be filtered by, and what each filter means: as input of a client, for the rows of events, and in SQL. */
import { type SQL, sql } from 'drizzle-orm'
import { makePgArray, type PgColumn } from 'drizzle-orm/pg-core'
import type { RequestData } from '../../db/request-data.ts'
import { typeOf, type Value } from '../fields/field-type.ts'
import { SORT_KEY_LENGTH, type SortKey } from '../fields/text-key.ts'
import { fetchSortKey } from './fetch-sort-key.ts'

/** What items are compared with: anything but null and undefined, which stand for no condition. */
// eslint-disable-next-line @typescript-eslint/no-generated-empty-object-type -- this is what is meant
export type ConditionValue = NonNullable<unknown>

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

/** Items whose column compares with a value in some way: see byComparison. */
interface ComparisonFilter<Input extends ConditionValue = ConditionValue> extends CommonFilter<Input> {
  /** `bySortKey`: the index by the column, a sort key, then by id, has them in one range; `none`: all items may be read. */
  index: 'bySortKey' | 'none'
}

export type Filter = ValuesFilter | ComparisonFilter

/** The filters of a list by their names. */
export type Filters = Readonly<Record<string, Filter>>

/** Of a filter that says nothing else: all that clients send is a condition, valid, and its value. */
const anyInput = {
  isNone: () => false,
  check: () => null,
  normalize: <Input>(input: Input) => input,
}

/** Items whose column compares with a value as `where` and `matches` say. These must mean the same: a page and its live updates. */
export function byComparison<Input extends NonNullable<Value>>(
  description: Pick<ComparisonFilter<Input>, 'column' | 'where' | 'matches'> &
    Partial<Omit<ComparisonFilter<Input>, 'isAnyText'>>,
): ComparisonFilter<Input> {
  const { column, type = typeOf(column).type } = description
  return { ...anyInput, index: 'none', toSqlValue: String, ...description, type, isAnyText: isAnyText(type) }
}

/** Whether the values of a Postgres type are any texts. */
function isAnyText(type: string): boolean {
  return type === 'text' || type === 'varchar'
}

/** The values of a text column in TypeScript. */
type TextOf<Column extends PgColumn> = Column['_']['data'] & string

/**
 * Items whose column has one of the values that a client sends. An empty list is a condition, which no item meets. The query cost counts
 * the different members of the list before they are checked (graphql/limits/page-cost.ts), so a condition must not have more values than those.
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
    ...anyInput,
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
export function prefixOf(column: SortKey): ComparisonFilter<string> {
  return byComparison<string>({
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
