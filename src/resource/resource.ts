/** A resource: a table whose rows both APIs serve, and what follows from its columns. */
import { getTableColumns, type SQL, sql } from 'drizzle-orm'
import { makePgArray, type PgColumn, type PgTable } from 'drizzle-orm/pg-core'
import { type Problem, throwIfInvalid } from '../base/errors.ts'
import { INT64_RANGE, isInt64 } from '../base/int64.ts'
import { namesOf, parameter, type TextRow } from '../db/postgres/statement.ts'

/** A value of a field. An int64 is a string of digits: Postgres writes them, both APIs pass them on, and nothing converts them. */
export type Value = string | number | boolean | null

/** A row of a table, with each int64 as digits. */
export type ItemOf<Table extends PgTable> = {
  [Name in keyof Table['$inferSelect']]: Exact<Table['$inferSelect'][Name]>
}
type Exact<Stored> = Stored extends bigint ? string : Stored

/** An item of any resource. */
export type Item = { readonly id: string } & Readonly<Record<string, Value>>

/** An item to create: the service assigns the id. */
export type NewItem<One> = Omit<One, 'id'>
/** The fields to update; null unsets one. */
export type Patch<One> = Partial<NewItem<One>>
/** An item and its sort key, which is null in a list by id. */
export type Listed<One> = One & { sortKey: string | null }

/** What the table cannot say of a field. */
export interface FieldRules {
  /** The least and the greatest value of an integer of at most 32 bits, if not those of its type. */
  least?: number
  greatest?: number
  /** What is expected of a value, if it is not valid: "an integer from 0 to 9". Its type has been checked. */
  check?: (value: string | number | boolean) => string | null
  /** It was added after the first release: older files, and the fingerprints of older creations, lack it. */
  isLater?: boolean
}

export interface Field extends FieldRules {
  /** Its name in both APIs, in files and in TypeScript. */
  name: string
  column: PgColumn
  /** Its type in Postgres. */
  type: string
  isNullable: boolean
  /** Its value if the client sends none; undefined: the client has to send one. */
  default: Value | undefined
}

/** Reads items from what Postgres returns. `npm run codegen` writes one for each resource, since a loop over the fields takes four times as long. */
export interface Reader<One> {
  /** @param at the index of the first column */
  readRow: (row: TextRow, at?: number) => One
  /** @param columns the values of each column and, in a list with a sort key, the keys */
  readColumns: (columns: readonly TextRow[]) => Listed<One>[]
}

export interface Resource<One extends Item = Item> extends Reader<One> {
  /** One and several of them, in messages and in the names of statements. */
  words: { one: string; many: string }
  /** One to create, as JSON, in messages. */
  example: string
  table: PgTable
  id: Field
  /** All fields except the id. */
  newFields: readonly Field[]
  /** The id, then the others. */
  fields: readonly Field[]
  /** Those whose values may be of any length. */
  textFields: readonly Field[]
  /** Whether subscribers learn of its writes: a database sends the events of one resource. */
  hasEvents: boolean
  /** Whether the fingerprint of a creation lacks the name of the resource, as in the first release, which had only one. */
  hasOldFingerprints: boolean
  /** The sequence that ids are drawn from. */
  sequence: string
}

/**
 * @param words one and several items, an example, and what differs between resources
 * @param rules an entry for each field, even if the table says everything
 * @param reader reads rows of the table
 */
export function describeResource<One extends Item>(
  table: PgTable,
  {
    one,
    many,
    example,
    hasEvents,
    hasOldFingerprints = false,
  }: Resource['words'] &
    Pick<Resource, 'example' | 'hasEvents'> &
    Partial<Pick<Resource, 'hasOldFingerprints'>>,
  rules: Readonly<Record<Exclude<keyof One & string, 'id'>, FieldRules>>,
  reader: Reader<One>,
): Resource<One> {
  const known: Record<string, FieldRules> = rules
  const { id: idColumn, ...columns } = getTableColumns(table)
  const sequence = idColumn?.generatedIdentity?.sequenceName
  if (!idColumn || sequence === undefined)
    throw new Error('The table of a resource needs an identity column with a named sequence: id')
  const id = {
    name: 'id',
    column: idColumn,
    type: idColumn.getSQLType(),
    isNullable: false,
    default: undefined,
  }
  const newFields = Object.entries(columns).map(([name, column]) => ({
    name,
    column,
    type: column.getSQLType(),
    isNullable: !column.notNull,
    default: defaultOf(column),
    ...known[name],
  }))
  return {
    words: { one, many },
    example,
    table,
    id,
    newFields,
    fields: [id, ...newFields],
    textFields: newFields.filter(isText),
    hasEvents,
    hasOldFingerprints,
    sequence,
    ...reader,
  }
}

function defaultOf({ name, default: value, hasDefault, notNull }: PgColumn): Value | undefined {
  if (typeof value === 'bigint') return String(value)
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value
  if (hasDefault) throw new Error(`The default of ${name} has to be a plain value`)
  return notNull ? undefined : null
}

/** Whether a field is an int64, which is a string of digits here. */
export function isInt64Field({ column }: Field): boolean {
  return column.dataType === 'bigint'
}

/** @param value in whose JSON each integer became a bigint. @returns undefined if it is not a value of the field */
export function readValue(field: Field, value: unknown): Value | undefined {
  const { column, isNullable } = field
  if (value === null) return isNullable ? null : undefined
  if (isInt64Field(field))
    return typeof value === 'bigint' && isInt64(String(value)) ? String(value) : undefined
  if (column.dataType === 'number') return readNumber(field, value)
  if (column.dataType === 'boolean') return typeof value === 'boolean' ? value : undefined
  if (typeof value !== 'string') return undefined
  return !column.enumValues || column.enumValues.includes(value) ? value : undefined
}

function readNumber(field: Field, value: unknown): number | undefined {
  if (typeof value !== 'bigint' && typeof value !== 'number') return undefined
  const number = Number(value)
  const range = rangeOf(field)
  if (!range) return number
  return Number.isInteger(number) && number >= range.least && number <= range.greatest ? number : undefined
}

/** What an integer of at most 32 bits may be; null: the field is not such an integer. */
function rangeOf({ type, least, greatest }: Field): { least: number; greatest: number } | null {
  const bits = { smallint: 16, integer: 32 }[type]
  if (bits === undefined) return null
  return { least: least ?? -(2 ** (bits - 1)), greatest: greatest ?? 2 ** (bits - 1) - 1 }
}

/** What a value of the field has to be, after "must be". */
export function describeType(field: Field): string {
  const { enumValues, dataType } = field.column
  if (isInt64Field(field)) return INT64_RANGE
  if (enumValues) return `one of ${enumValues.join(', ')}`
  const range = rangeOf(field)
  if (range) return `an integer from ${range.least} to ${range.greatest}`
  if (dataType === 'number') return 'a number'
  return dataType === 'boolean' ? 'true or false' : 'a string'
}

/** Whether a value of the field may be of any length. */
export function isText({ type }: Field): boolean {
  return type === 'text'
}

/** The bytes of an item's texts in UTF-8, which are most of it. */
export function textBytesOf(
  { textFields }: Pick<Resource, 'textFields'>,
  item: Readonly<Record<string, Value>>,
): number {
  let bytes = 0
  for (const { name } of textFields) bytes += Buffer.byteLength(toText(item[name]) ?? '')
  return bytes
}

/** The name of a statement: listItems, createItem. */
export function statementName(verb: string, word: string): string {
  return `${verb}${word.charAt(0).toUpperCase()}${word.slice(1)}`
}

/** The columns of fields, for SELECT and RETURNING. */
export function columnsOf(fields: readonly Field[]): SQL {
  return sql.join(
    fields.map(({ column }) => column),
    sql`, `,
  )
}

/** The same without their table, as INSERT and SET require. */
export function columnNamesOf(fields: readonly Field[]): SQL {
  return namesOf(...fields.map(({ column }) => column))
}

/** A parameter for each field, by its name. */
export function parametersOf(fields: readonly Field[]): SQL {
  return sql.join(
    fields.map(({ name, type }) => parameter(name, type)),
    sql`, `,
  )
}

/** Parameters for several values of each field. */
export function arrayParametersOf(fields: readonly Field[]): SQL {
  return sql.join(
    fields.map(({ name, type }) => parameter(name, `${type}[]`)),
    sql`, `,
  )
}

/** The values of items for those parameters. */
export function toArrays(
  fields: readonly Field[],
  items: readonly Readonly<Record<string, Value>>[],
): Record<string, string> {
  return Object.fromEntries(
    fields.map(({ name }) => [name, makePgArray(items.map((item) => toText(item[name])))]),
  )
}

/** The values of an item as parameters. */
export function toTexts(
  fields: readonly Field[],
  item: Readonly<Record<string, Value | undefined>>,
): Record<string, string | null> {
  return Object.fromEntries(fields.map(({ name }) => [name, toText(item[name])]))
}

/** A value as Postgres reads it. */
export function toText(value: Value | undefined): string | null {
  return value == null ? null : String(value)
}

/** What a client sent for the fields of an item. */
type Sent<Values> = { readonly [Name in keyof Values]?: Values[Name] | null | undefined }

/**
 * The item that a client wants to create, with the defaults of what it left out.
 * @param argument what names the input in messages
 * @throws ServiceError INVALID_VALUE that names the invalid fields
 */
export function readNewItem<One extends Item>(
  { newFields }: Resource<One>,
  sent: Sent<NewItem<One>>,
  argument: string,
  otherProblems: readonly (Problem | null)[] = [],
): NewItem<One> {
  const values: Readonly<Record<string, Value | undefined>> = sent
  throwIfInvalid([
    ...newFields.map((field) => checkValue(field, values[field.name], argument)),
    ...otherProblems,
  ])
  const item = Object.fromEntries(
    newFields.map(({ name, default: absent = null }) => [name, values[name] ?? absent]),
  )
  // GraphQL has checked that the required fields are there, and all types.
  return item as NewItem<One>
}

/** The fields that a client wants to update; those that it left out stay as they are. @throws as readNewItem */
export function readPatch<One extends Item>(
  resource: Resource<One>,
  sent: Sent<Patch<One>>,
  argument: string,
  otherProblems: readonly (Problem | null)[] = [],
): Patch<One> {
  throwIfInvalid([...checkPatch(resource, sent, argument), ...otherProblems])
  const values: Readonly<Record<string, Value | undefined>> = sent
  const given = resource.newFields.filter(({ name }) => values[name] !== undefined)
  return Object.fromEntries(given.map(({ name }) => [name, values[name]])) as Patch<One>
}

/** What is wrong with the fields that a client sent. */
export function checkPatch<One extends Item>(
  { newFields }: Resource<One>,
  sent: Sent<Patch<One>>,
  argument: string,
): (Problem | null)[] {
  const values: Readonly<Record<string, Value | undefined>> = sent
  return newFields
    .filter(({ name }) => values[name] !== undefined)
    .map((field) => checkValue(field, values[field.name], argument, !field.isNullable))
}

function checkValue(
  field: Field,
  value: Value | undefined,
  argument: string,
  isRequired = false,
): Problem | null {
  const { name, check } = field
  if (value == null) {
    return isRequired ? { argument: `${argument}.${name}`, message: `${name} must not be null.` } : null
  }
  const isInRange = typeof value !== 'number' || readNumber(field, value) !== undefined
  const expected = isInRange ? (check?.(value) ?? null) : describeType(field)
  return expected === null
    ? null
    : { argument: `${argument}.${name}`, message: `${name} must be ${expected}.` }
}

/** Postgres stores neither U+0000 nor lone surrogates; dropping them silently would change the text. @returns what is expected instead */
export function checkText(text: unknown): string | null {
  if (typeof text !== 'string' || (!text.includes('\0') && text.isWellFormed())) return null
  return 'a string without U+0000 and without lone surrogates'
}
