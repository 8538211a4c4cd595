import { expect, it } from 'vitest'
import { ServiceError } from '../../../../src/base/service-error.ts'
import type { Queryable } from '../../../../src/db/postgres/pool.ts'
import type { Statement, TextRow } from '../../../../src/db/postgres/statement.ts'
import { createPrimaryTarget, readStandby } from '../../../../src/db/standbys/targets.ts'

const statement: Statement = {
  name: 'findPets',
  text: 'select id from pets',
  parameters: ['1'],
  prepare: true,
  writes: false,
}

/** Answers one statement. */
function answering(rows: TextRow[]): Queryable & { sent: Statement[] } {
  const sent: Statement[] = []
  return {
    sent,
    query: (statement) => {
      sent.push(statement)
      return Promise.resolve(rows)
    },
  }
}

it.each<[title: string, rows: TextRow[], own: TextRow[]]>([
  [
    'rows',
    [
      ['1', 'true', '0/5', '0/6'],
      ['2', 'true', '0/5', '0/6'],
    ],
    [['1'], ['2']],
  ],
  ['a row of nothing but null', [[null, 'true', '0/5', '0/6']], [[null]]],
  ['no rows', [[null, null, '0/5', '0/6']], []],
])('a statement with %s is one statement, and keeps its own rows', async (_, rows, own) => {
  const standby = answering(rows)
  expect(await readStandby(standby, statement)).toEqual({ rows: own, replayed: 5n, isAll: false })
  expect(standby.sent).toMatchObject([
    { ...statement, text: expect.stringContaining(`(${statement.text})`) as string },
  ])
})

it.each<[replayed: string | null, received: string | null, lsn: bigint | null, isAll: boolean]>([
  ['0/16B3748', '0/16B3748', 0x16b3748n, true],
  ['16/B3748', '16/B3749', 0x16000b3748n, false],
  ['FFFFFFFF/FFFFFFFF', null, 2n ** 64n - 1n, false],
  // It has read again what it had before a restart.
  ['0/16B3748', '0/1000000', 0x16b3748n, false],
  [null, '0/16B3748', null, false],
])('a standby that has replayed %s and received %s', async (replayed, received, lsn, isAll) => {
  const answer = await readStandby(answering([[null, null, replayed, received]]), statement)
  expect(answer).toEqual({ rows: [], replayed: lsn, isAll })
})

it('the primary tells where its WAL ends', async () => {
  const target = createPrimaryTarget(answering([['1', 'true', '0000001A', '7']]))
  expect(target.position).toBeNull()
  expect(await target.query(statement)).toEqual([['1']])
  expect(target.position).toEqual({ timeline: 26, lsn: 7n, standby: null })
  await expect(createPrimaryTarget(answering([])).query(statement)).rejects.toThrow(ServiceError)
})
