import { expect, it, vi } from 'vitest'
import { Connection } from '../../../../../src/db/postgres/connections/connection.ts'
import { DedicatedConnection } from '../../../../../src/db/postgres/connections/dedicated-connection.ts'
import { hosts } from '../../../support/scripted-pool.ts'

it('whether a commit has been sent is that of the last transaction', async () => {
  vi.spyOn(Connection.prototype, 'run').mockResolvedValue([])
  const connection = new DedicatedConnection(hosts)
  await connection.transaction(async () => undefined)
  expect(connection.hasSentCommit).toBe(true)
  await expect(connection.transaction(() => Promise.reject(new Error('failed')))).rejects.toThrow('failed')
  expect(connection.hasSentCommit).toBe(false)
})

it('no commit has been sent if the connection was lost before', async () => {
  const run = vi.spyOn(Connection.prototype, 'run').mockResolvedValue([])
  const lost = new AbortController()
  const connection = new DedicatedConnection(hosts, { signal: lost.signal })
  const committed = connection.transaction(async () => {
    lost.abort()
    run.mockRejectedValue(new Error('lost'))
  })
  await expect(committed).rejects.toThrow('lost')
  expect(connection.hasSentCommit).toBe(false)
})
