import { describe, expect, it } from 'vitest'
import type { TextRow } from '../../../src/db/postgres/statement.ts'
import { crate, crateResource, emptyCrate } from '../support/crates.ts'

describe('rows are read by what codegen writes', () => {
  const row: TextRow = ['9007199254740993', '-7', '3', 't', 'small', 'a, "b"\n', '2']
  const emptyRow: TextRow = ['2', '0', '0', 'f', null, null, '1']

  it('one by one, from any column on', () => {
    expect(crateResource.readRow(row)).toEqual(crate)
    expect(crateResource.readRow(emptyRow)).toEqual(emptyCrate)
    expect(crateResource.readRow([...row, ...emptyRow], row.length)).toEqual(emptyCrate)
  })

  it('by columns, with and without sort keys', () => {
    const columns = row.map((value, index) => [value, emptyRow[index] ?? null])
    expect(crateResource.readColumns(columns)).toEqual([
      { ...crate, sortKey: null },
      { ...emptyCrate, sortKey: null },
    ])
    expect(crateResource.readColumns([...columns, ['a', 'b']])).toMatchObject([
      { sortKey: 'a' },
      { sortKey: 'b' },
    ])
  })

  it.each([1, 2, 3, 6])('only if the required column %i has a value', (index) => {
    expect(() => crateResource.readRow(row.with(index, null))).toThrow('A row lacks a value')
    expect(() => crateResource.readRow(row.slice(0, index))).toThrow('A row lacks a value')
  })
})
