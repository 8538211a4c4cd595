import {
  bigint,
  jsonb,
  pgEnum,
  pgSchema,
  pgTable,
  point,
  primaryKey,
  text,
  unique,
  uniqueIndex,
  varchar,
} from 'drizzle-orm/pg-core'
import { expect, it } from 'vitest'
import { int64Id } from '../../../../src/db/columns.ts'
import { describeResource } from '../../../../src/resource/fields/resource.ts'

const description = {
  words: { singular: 'toy', plural: 'toys' },
  hasEvents: false,
  readRow: () => {
    throw new Error('No row is read')
  },
}
const id = int64Id().primaryKey()

it.each([varchar({ length: 5 }), varchar({ length: 5, enum: ['lion', 'tiger'] })])(
  'a text is sent without the length of its column: a cast to it would cut the text: %#',
  (name) => {
    const { newFields } = describeResource(pgTable('toys', { id, name }), description)
    expect(newFields).toMatchObject([{ name: 'name', type: 'varchar' }])
  },
)

it('rows are read as what their table says', () => {
  const toys = pgTable('toys', { id, name: text().notNull() })
  const readRow = () => ({ id: '1', name: 'Kite' })
  const { readRow: read } = describeResource(toys, { ...description, readRow })
  expect(read([]).name).toBe('Kite')
  // @ts-expect-error -- a toy has a name
  describeResource(toys, { ...description, readRow: () => ({ id: '1' }) })
})

it('a table must not have a name of statements: these have dots', () => {
  const toys = pgTable('update.former', { id })
  expect(() => describeResource(toys, description)).toThrow('The name of the table update.former')
})

it('a field must not have the name that lists add to items', () => {
  const toys = pgTable('toys', { id, sortKey: text() })
  expect(() => describeResource(toys, description)).toThrow('No field may be called sortKey')
})

it.each([jsonb(), point()])('a field has a type whose values can be read: %#', (column) => {
  const toys = pgTable('toys', { id, column })
  expect(() => describeResource(toys, description)).toThrow('A field cannot have the type')
})

it.each(['toySize', 'toy-size', 'toy size'])('an enumeration has a name that casts can have: %s', (name) => {
  const toys = pgTable('toys', { id, size: pgEnum(name, ['small'])() })
  expect(() => describeResource(toys, description)).toThrow(`The type ${name} needs quotes: rename it`)
})

it('a field with a default is never null: a file could not tell the two apart', () => {
  const toys = pgTable('toys', { id, colour: text().default('red') })
  expect(() => describeResource(toys, description)).toThrow('colour has a default, so it must be notNull()')
})

it.each([
  pgTable('toys', { id, name: text().unique() }),
  pgTable('toys', { id, name: text() }, ({ name }) => [unique().on(name)]),
  pgTable('toys', { id, name: text() }, ({ name }) => [uniqueIndex().on(name)]),
  pgTable('toys', { id, name: text() }, ({ name }) => [primaryKey({ columns: [name] })]),
])('nothing but the id is unique: another value that is taken would count as an id that is: %#', (toys) => {
  expect(() => describeResource(toys, description)).toThrow('Nothing but the id of toys may be unique')
})

it('the sequence of the ids must have the name that Postgres gives it', () => {
  const [longest, tooLong] = [56, 57].map((length) => pgTable('t'.repeat(length), { id }))
  if (!longest || !tooLong) throw new Error('There are two')
  expect(describeResource(longest, description).idSequence).toHaveLength(63)
  expect(() => describeResource(tooLong, description)).toThrow('is too long')
  expect(() => describeResource(pgSchema('shop').table('toys', { id }), description)).toThrow('schema')
})

it.each([
  ['drawn from a sequence', pgTable('toys', { id: bigint({ mode: 'bigint' }).primaryKey() })],
  ['the primary key', pgTable('toys', { id: int64Id(), name: text() })],
])('the table of a resource needs an id that is %s', (_, toys) => {
  expect(() => describeResource(toys, description)).toThrow(
    'The table of a resource needs an int64Id as its primary key: id',
  )
})

it('a generated column is a sort key, so it has the type of one', () => {
  const toys = pgTable('toys', { id, name: text(), key: text().generatedAlwaysAs('x') })
  expect(() => describeResource(toys, description)).toThrow(
    'The column key is generated, so it has to be a textKey',
  )
})
