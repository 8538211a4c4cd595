/**
 * A resource: a table whose rows both APIs serve, and what follows from its columns. A row has four shapes:
 *
 * - `TextRow`: what a statement returns, the text of each column by its position; `readRow` makes an item of it.
 * - `Item`: the values of the fields by their names in TypeScript and in both APIs.
 * - `RowState`: what an event has, the values by the names of the columns, with the sort keys; see row-state.ts.
 * - `FieldValues`: any fields of an item, such as what is sent to a statement.
 */
import { getTableColumns, getTableName } from 'drizzle-orm'
import { getTableConfig, type PgColumn, type PgTable } from 'drizzle-orm/pg-core'
import type { TextRow } from '../../db/postgres/statement.ts'
import { type FieldType, typeOf, type Value } from './field-type.ts'
import { TEXT_KEY_TYPE } from './text-key.ts'

/** Values of fields by name; undefined: there is none. */
export type FieldValues = Readonly<Record<string, Value | undefined>>

/** An item of any resource. */
export type Item = { readonly id: string } & Readonly<Record<string, Value>>

/** What the rows of a table are in both APIs: their columns but for those that Postgres generates; never, if a column has no Value. */
export type ItemOf<Table extends PgTable> = Extract<
  {
    [
      Name in keyof Table['$inferSelect'] as Table['_']['columns'][Name]['_']['generated'] extends undefined
        ? Name
        : never
    ]: Table['$inferSelect'][Name]
  },
  Item
>

/** An item to create: the service assigns the id. */
export type NewItem<TItem> = Omit<TItem, 'id'>
/** The fields to update; null unsets one. */
export type Patch<TItem> = Partial<NewItem<TItem>>
/** An item and its sort key, which is null in a list by id. */
export type Listed<TItem> = TItem & { sortKey: string | null }

export interface Field extends FieldType {
  /** Its name in both APIs, in files and in TypeScript. */
  name: string
  column: PgColumn
  isNullable: boolean
  /** Its value if the client sends none; undefined: the client has to send one. */
  default: Value | undefined
}

export interface Resource<TItem extends Item = Item> {
  /** What one item and several are called in messages and in the names of statements. */
  words: { singular: string; plural: string }
  table: PgTable
  id: Field
  /** The name of the sequence that Postgres draws ids from. */
  idSequence: string
  /** The id, then the others. */
  fields: readonly Field[]
  /** Those that clients send: all but the id. */
  newFields: readonly Field[]
  /** The columns of the fields by their names, in the order of the fields, for SELECT and RETURNING. */
  columns: Readonly<Record<string, PgColumn>>
  /** The columns that Postgres generates. */
  sortKeys: readonly PgColumn[]
  /** Whether subscribers learn of its writes: its table has the triggers. */
  hasEvents: boolean
  /** Reads an item from the columns of its fields, which may be followed by others. */
  readRow: (row: TextRow) => TItem
}

/**
 * Derives a resource from its table.
 * @param table whose primary key is an `int64Id` named id; generated columns are sort keys, all others are fields
 * @throws Error if a column is not supported, or must be unique, or is generated, but no textKey; or if the table has a name that it must not
 *   have
 */
export function describeResource<Table extends PgTable>(
  table: Table,
  description: Pick<Resource<ItemOf<Table>>, 'words' | 'hasEvents' | 'readRow'>,
): Resource<ItemOf<Table>> {
  const { id: idColumn, ...columns } = getTableColumns<PgTable>(table)
  if (idColumn?.getSQLType() !== 'bigserial' || !idColumn.primary)
    throw new Error('The table of a resource needs an int64Id as its primary key: id')
  if (hasUniqueColumns(table)) throw new Error(`Nothing but the id of ${getTableName(table)} may be unique`)
  // The aliases of statements have dots: none may hide the table.
  if (getTableName(table).includes('.'))
    throw new Error(`The name of the table ${getTableName(table)} must not have a dot`)
  const describe = (name: string, column: PgColumn, absent: Value | undefined): Field => {
    const type = typeOf(column)
    const isNullable = !column.notNull
    const readers = isNullable && { read: orNull(type.read), readColumn: orNull(type.readColumn) }
    return { ...type, ...readers, name, column, isNullable, default: absent }
  }
  const id = describe('id', idColumn, undefined)
  const newFields = Object.entries(columns)
    .filter(([, column]) => !column.generated)
    .map(([name, column]) => describe(name, column, defaultOf(column)))
  // Lists add it to an item.
  if (newFields.some(({ name }) => name === 'sortKey')) throw new Error('No field may be called sortKey')
  const fields = [id, ...newFields]
  const sortKeys = Object.values(columns).filter(({ generated }) => generated)
  const other = sortKeys.find((column) => column.getSQLType() !== TEXT_KEY_TYPE)
  if (other) throw new Error(`The column ${other.name} is generated, so it has to be a textKey`)
  return {
    ...description,
    table,
    id,
    idSequence: idSequenceOf(table, idColumn),
    newFields,
    fields,
    columns: Object.fromEntries(fields.map(({ name, column }) => [name, column])),
    sortKeys,
  }
}

const orNull =
  (read: FieldType['read']): FieldType['read'] =>
  (json) =>
    json === null ? null : read(json)

/** Names are at most 63 bytes long; Postgres would shorten a longer one, to something else. */
const MAX_NAME_BYTES = 63

/** The name that Postgres gives to the sequence of a serial column. @throws Error if it would choose another one, or not find it by its name */
function idSequenceOf(table: PgTable, id: PgColumn): string {
  const { name, schema } = getTableConfig(table)
  if (schema !== undefined) throw new Error(`The table ${name} must not be in a schema of its own`)
  const sequence = `${name}_${id.name}_seq`
  if (Buffer.byteLength(sequence) > MAX_NAME_BYTES)
    throw new Error(`The name of the table ${name} is too long`)
  return sequence
}

/** Whether rows can be duplicates by another column than the id: creations (ids.ts) and imports would say that an id is taken. */
function hasUniqueColumns(table: PgTable): boolean {
  const { columns, indexes, uniqueConstraints, primaryKeys } = getTableConfig(table)
  return (
    uniqueConstraints.length > 0 ||
    // These are declared for the table; that of a single column is the column's (`primary`).
    primaryKeys.length > 0 ||
    columns.some(({ isUnique }) => isUnique) ||
    indexes.some(({ config }) => config.unique)
  )
}

function defaultOf({ name, default: value, hasDefault, notNull }: PgColumn): Value | undefined {
  // A null that a client or a file sends is the default, so an exported null would come back as another value.
  if (hasDefault && !notNull) throw new Error(`${name} has a default, so it must be notNull()`)
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value
  if (hasDefault) throw new Error(`The default of ${name} has to be a plain value`)
  return notNull ? undefined : null
}
