import { sql } from 'drizzle-orm'
import { expect, it } from 'vitest'
import { buildStatement, parameter } from '../../../../src/db/postgres/statement.ts'

it('a statement has its values in the order of its parameters, repeating repeated ones', () => {
  const [low, high] = [parameter('low', 'bigint'), parameter('high', 'text')]
  const template = buildStatement<'low' | 'high'>('test', sql`select ${high}, ${low}, ${high}`)
  expect(template.parameters).toEqual(['high', 'low', 'high'])
  expect(template.with({ low: null, high: 'b' })).toEqual({
    name: 'test',
    text: 'select $1::text, $2::bigint, $3::text',
    parameters: ['b', null, 'b'],
    prepare: true,
    writes: false,
  })
})

it('a statement is prepared unless it says otherwise', () => {
  expect(buildStatement('test', sql`select`, { prepare: false }).with({}).prepare).toBe(false)
})

it('a statement with a value in its text is not built', () => {
  expect(() => buildStatement('test', sql`select ${7}`)).toThrow(
    'test: the text of the statement contains a value',
  )
})
