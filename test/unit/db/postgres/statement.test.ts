import { eq, sql } from 'drizzle-orm'
import { pgTable, text } from 'drizzle-orm/pg-core'
import { expect, it } from 'vitest'
import { statementTemplate, placeholder, queryBuilder } from '../../../../src/db/postgres/statement.ts'

it('placeholders with the same name are one parameter', () => {
  const [low, high] = [placeholder('low', 'bigint'), placeholder('high', 'text')]
  const template = statementTemplate('test', sql`select ${high}, ${low}, ${high}`)
  expect(template.parameters).toEqual(['high', 'low'])
  expect(template.with({ low: null, high: 'b' })).toEqual({
    name: 'test',
    text: 'select $1::text, $2::bigint, $1::text',
    parameters: ['b', null],
    prepare: true,
  })
})

const balls = pgTable('balls', { name: text() })

it('a statement of the query builder has its placeholders as parameters, and cannot run by itself', async () => {
  const update = queryBuilder
    .update(balls)
    .set({ name: sql`${sql.placeholder('new')}` })
    .where(eq(balls.name, sql.placeholder('old')))
  expect(statementTemplate('test', update).with({ new: 'b', old: 'a' })).toMatchObject({
    text: 'update "balls" set "name" = $1 where "balls"."name" = $2',
    parameters: ['b', 'a'],
  })
  const insert = queryBuilder.insert(balls).values({ name: sql.placeholder('new') })
  expect(statementTemplate('test', insert).parameters).toEqual(['new'])
  await expect(queryBuilder.delete(balls)).rejects.toMatchObject({
    cause: { message: 'This builds a statement only' },
  })
})

it('a statement is prepared unless it says otherwise', () => {
  expect(statementTemplate('test', sql`select`, { prepare: false }).with({}).prepare).toBe(false)
})

it('a statement with a value in its text is not built', () => {
  const message = 'test: the text of the statement contains a value'
  expect(() => statementTemplate('test', sql`select ${7}`)).toThrow(message)
  const select = queryBuilder.select().from(balls)
  expect(() => statementTemplate('test', select.where(eq(balls.name, 'Rex')))).toThrow(message)
  expect(() => statementTemplate('test', select.limit(1))).toThrow(message)
})

it.each([
  ["select 'costs $5'", []],
  ["select '$1', ", ['low']],
  ["select '$2', ", ['low', 'high', 'low']],
])('a statement whose own text has a parameter is not built: %s', (text, names) => {
  const placeholders = sql.join(
    names.map((name) => placeholder(name, 'int')),
    sql`, `,
  )
  expect(() => statementTemplate('test', sql`${sql.raw(text)}${placeholders}`)).toThrow(
    /^test: \$\d stands in the text of the statement$/,
  )
})

it('a statement with a missing value is not sent', () => {
  const template = statementTemplate('test', sql`select ${placeholder('id', 'bigint')}`)
  expect(() => template.with({})).toThrow('test: id has no value')
})

it('a statement that says its placeholders has these, and takes values for them only', () => {
  const query = sql`select ${placeholder('low', 'int')}, ${placeholder('high', 'int')}`
  const template = statementTemplate('test', query, { placeholders: ['high', 'low'] })
  expect(template.with({ high: '2', low: '1' }).parameters).toEqual(['1', '2'])
  // @ts-expect-error A value is missing.
  expect(() => template.with({ low: '1' })).toThrow('test: high has no value')
  for (const placeholders of [['low'], ['low', 'high', 'id'], ['low', 'hihg']])
    expect(() => statementTemplate('test', query, { placeholders })).toThrow(
      'test: the placeholders are low, high',
    )
})
