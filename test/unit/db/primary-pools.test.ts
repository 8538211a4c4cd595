import { expect, it, vi } from 'vitest'
import { Connection } from '../../../src/db/postgres/connection.ts'
import { PrimaryPools } from '../../../src/db/primary-pools.ts'
import { failure, hosts, pass, runOf, toStatement, useScriptedConnections } from '../support/scripted-pool.ts'

useScriptedConnections()

it.each([
  ['requests', 'reserved'],
  ['reserved', 'requests'],
] as const)('if the server is lost for %s, idle connections of %s are closed, too', async (loser, other) => {
  vi.spyOn(Connection.prototype, 'hasOpened', 'get').mockReturnValue(true)
  const pools = new PrimaryPools(hosts, { size: 4 })
  void pools[other].query(toStatement({ text: 'idle' }))
  runOf(0).succeed()
  await pass()
  const lost = pools[loser].query(toStatement({ text: 'lost' }))
  runOf(1).fail(failure('ETIMEDOUT'))
  await expect(lost).rejects.toThrow()
  await pass()
  expect(runOf(0).connection.isDestroyed).toBe(true)
})
