/** What an import does in its transaction, and that Postgres may reject an item; test/process/import-export.test.ts imports into real databases. */
import { describe, expect, it, vi } from 'vitest'
import { DedicatedConnection } from '../../../src/db/postgres/connections/dedicated-connection.ts'
import { databaseErrorOf } from '../support/database-error.ts'
import { importItems } from '../../../src/transfer/import-items.ts'
import { OperatorError } from '../../../src/base/operator-error.ts'
import { toHosts } from '../../support/address.ts'
import { crateResource } from '../../support/crates.ts'
import { createFakeDatabase } from '../support/database.ts'

/** Imports a text into a database that answers each statement with `answer`. @returns the names of the statements */
async function importText(text: string, keepIds: boolean, answer: (name: string) => string[]) {
  const statements: string[] = []
  const connection = new DedicatedConnection(toHosts('postgres://localhost:1/none'))
  vi.spyOn(connection, 'query').mockImplementation(({ name }) => {
    statements.push(name)
    return Promise.resolve(answer(name).map((id) => [id]))
  })
  const database = createFakeDatabase()
  database.connect = () => Promise.resolve(connection)
  async function* bytes(): AsyncGenerator<Buffer> {
    yield Buffer.from(text, 'latin1')
  }
  const options = { resource: crateResource, format: 'ndjson', keepIds } as const
  const imported = await importItems(database, { bytes: bytes(), size: null }, options).catch(
    (error: unknown) => error,
  )
  return { statements, imported }
}
const line = (id: number, ownerId: unknown = 7) => `${JSON.stringify({ id, label: 'books', ownerId })}\n`
const MORE = ' There may be more bad lines.'

it.each([
  [false, ['begin', 'silenceEvents', 'resetSubscriptions', 'select crates_id_seq', 'importCrates', 'commit']],
  [
    true,
    [
      ...['begin', 'silenceEvents', 'resetSubscriptions', 'limitLockWait', 'lockForImport'],
      ...['importCratesWithIds', 'select crates_id_seq', 'commit'],
    ],
  ],
])('it is one transaction with one notification (--keep-ids: %j)', async (keepIds, expected) => {
  const { statements, imported } = await importText(line(1) + line(2), keepIds, (name) =>
    name.startsWith('importCrates') ? ['1', '2'] : [],
  )
  expect([imported, statements]).toEqual([2, expected])
})

it('after a bad line, the others are only read, and ten bad lines are named', async () => {
  const bad = Array.from({ length: 12 }, (_, index) => line(index, 'x'))
  const { statements, imported } = await importText(line(1) + bad.join(''), false, () => [])
  expect(statements).not.toContain('importCrates')
  const lines = String(imported).split('\n')
  expect(lines.slice(0, -1).map((text) => /line \d+/.exec(text)?.[0])).toEqual(
    Array.from({ length: 10 }, (_, index) => `line ${index + 2}`),
  )
  expect(lines.at(-1)).toContain(MORE)
})

it('an item whose id is taken, or on an earlier line, is named', async () => {
  const { statements, imported } = await importText(line(1) + line(2) + line(3) + line(3), true, (name) =>
    name === 'importCratesWithIds' ? ['2', '3'] : [],
  )
  expect(statements).not.toContain('commit')
  expect(imported).toEqual(
    new OperatorError(
      'line 1: The id 1 exists already, or is on an earlier line.\n' +
        'line 4: The id 3 exists already, or is on an earlier line.\n' +
        'Nothing was imported. Correct the file.',
    ),
  )
})

describe('that there may be more bad lines is said', () => {
  /** The numbers of the lines that are named, and whether there may be more. @param taken one of their ids exists already */
  async function importLines(text: string, keepIds: boolean, taken: readonly number[] = []) {
    let last = 0
    const { imported } = await importText(text, keepIds, (name) => {
      if (!name.startsWith('importCrates')) return []
      const ids = Array.from({ length: 1_000 }, () => (last += 1))
      return ids.filter((id) => !taken.includes(id)).map(String)
    })
    const message = String(imported)
    return {
      named: Array.from(message.matchAll(/line (\d+):/g), ([, number]) => Number(number)),
      hasMore: message.endsWith(MORE),
    }
  }
  const lines = (count: number) => Array.from({ length: count }, (_, index) => line(index + 1)).join('')

  it.each([
    ['if ids were not compared, after one that is taken', lines(2_000), [5, 1_500], [5]],
    ['if ids were not compared, beside a bad line', lines(10) + line(11, 'x'), [5], [11]],
    ['if ids were not compared, after a bad line', line(0, 'x') + lines(1_500), [1_500], [1]],
    ['if what follows cannot be read', `${line(1, 'x')}\xff\n${line(3, 'x')}`, [], [1, 2]],
  ])('%s', async (_, text, taken, named) => {
    expect(await importLines(text, true, taken)).toEqual({ named, hasMore: true })
  })

  it.each([
    ['if all ids were compared', lines(2_000), true, [1_005, 1_500], [1_005, 1_500]],
    ['if all lines were read, and no ids are kept', line(0, 'x') + lines(1_500), false, [], [1]],
  ])('but not %s', async (_, text, keepIds, taken, named) => {
    expect(await importLines(text, keepIds, taken)).toEqual({ named, hasMore: false })
  })
})

it('if Postgres rejects an item, the message says so', async () => {
  const { imported } = await importText(line(1), false, (name) => {
    if (name === 'importCrates') throw databaseErrorOf('23514')
    return []
  })
  expect(imported).toBeInstanceOf(OperatorError)
  expect(String(imported)).toContain('SQLSTATE 23514')
})

it('if the connection is lost at the commit, the message does not say that nothing was imported', async () => {
  const { imported } = await importText(line(1), false, (name) => {
    if (name === 'commit') throw databaseErrorOf('ECONNRESET')
    return ['1']
  })
  expect(imported).toBeInstanceOf(OperatorError)
  expect(String(imported)).toContain('may have been imported')
})
