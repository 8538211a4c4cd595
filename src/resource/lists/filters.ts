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
  /** The condition as SQL. @param value of the type `sqlType` */
  where: (value: SQL) => SQL
  /** The Postgres type of the value in `where`. */
  sqlType: string
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

/** Items whose text starts with a value: see prefixOf. */
interface PrefixFilter<Input extends ConditionValue = ConditionValue> extends CommonFilter<Input> {
  column: SortKey
  /** The index by the column, then by id, has them in one range. */
  index: 'bySortKey'
}

/** Items whose column compares with a value in some way: see byComparison. */
interface ComparisonFilter<Input extends ConditionValue = ConditionValue> extends CommonFilter<Input> {
  /** All items may be read. */
  index: 'none'
}

export type Filter = ValuesFilter | PrefixFilter | ComparisonFilter

/** The filters of a list by their names. */
export type Filters = Readonly<Record<string, Filter>>

/** The defaults of a filter: any value that a client sends is a condition and valid, and items are compared with it as it is. */
const anyInput = {
  isNone: () => false,
  check: () => null,
  normalize: <Input>(input: Input) => input,
}

/** The values of a column in TypeScript, which may be null, too. */
type ValueOf<Column extends PgColumn> = Column['_']['data'] & NonNullable<Value>

/** What byComparison takes; what it leaves out is as in anyInput. */
interface Comparison<Column extends PgColumn> {
  column: Column
  where: (value: SQL) => SQL
  /** `where` for an event. An int64 is a string of digits: compare it as a BigInt. @param stored what the row has in the column */
  matches: (stored: ValueOf<Column> | null, value: ValueOf<Column>) => boolean
  isNone?: (input: unknown) => boolean
  check?: (input: ValueOf<Column>) => string | null
}

/** Items whose column compares with a value as `where` and `matches` say. These must mean the same: a page and its live updates. */
export function byComparison<Column extends PgColumn>(
  comparison: Comparison<Column>,
): ComparisonFilter<ValueOf<Column>> {
  const { type } = typeOf(comparison.column)
  return {
    ...anyInput,
    ...comparison,
    index: 'none',
    sqlType: type,
    isAnyText: isAnyText(type),
    toSqlValue: String,
  }
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
 * @param plural what messages call the values
 * @param maximum the maximum number of different ones
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
    sqlType: `${type}[]`,
    isAnyText: isAnyText(type),
    toSqlValue: (values) => makePgArray([...values]),
    matches: (stored, values: readonly string[]) => stored !== null && values.includes(String(stored)),
  }
}

/** Items whose text starts with the value, ignoring case. @param column with the sort keys of the texts; see text-key.ts */
export function prefixOf(column: SortKey): PrefixFilter<string> {
  return {
    column,
    index: 'bySortKey',
    isNone: (input) => input === '',
    check: (input) =>
      Array.from(input).length > SORT_KEY_LENGTH ? `have at most ${SORT_KEY_LENGTH} characters` : null,
    normalize: (input, requestData) => fetchSortKey(requestData, input),
    where: (pattern) => sql`${column} like ${pattern}`,
    sqlType: 'text',
    isAnyText: true,
    toSqlValue: (prefix) => `${prefix.replaceAll(/[\\%_]/g, '\\$&')}%`,
    matches: (stored, prefix) => String(stored ?? '').startsWith(prefix),
  }
}
