import { describe, expect, it } from 'vitest'
import type { TextRow } from '../../../src/db/postgres/statement.ts'
import { resources } from '../../../src/server/resources.ts'

describe.each(resources)('$words.plural', (resource) => {
  const names = Object.keys(resource.columns)

  it('are read from their columns in the order in which those are asked for', () => {
    const item = resource.readRow(names.map((_, index) => String(index)))
    expect(Object.entries(item).map(([name, value]) => [name, String(value)])).toEqual(
      names.map((name, index) => [name, String(index)]),
    )
  })

  const required = resource.fields.filter(({ isNullable }) => !isNullable).map(({ name }) => name)
  it.each(required)('are read only with their %s', (name) => {
    const row: TextRow = names.map((_, index) => String(index))
    const index = names.indexOf(name)
    expect(() => resource.readRow(row.with(index, null))).toThrow(`${name} is missing`)
    expect(() => resource.readRow(row.slice(0, index))).toThrow('is missing')
  })

  it('are read with only those that are required', () => {
    const isNullable = new Map(resource.fields.map((field) => [field.name, field.isNullable]))
    const item = resource.readRow(names.map((name, index) => (isNullable.get(name) ? null : String(index))))
    for (const [name, value] of Object.entries(item))
      expect([name, value === null]).toEqual([name, isNullable.get(name)])
  })
})
