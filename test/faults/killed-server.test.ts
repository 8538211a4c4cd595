/** A server on the embedded database that is killed while it writes. */
import { join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { copyDataDirectory } from '../support/database.ts'
import { useDirectory } from '../support/directory.ts'
import { eventually } from '../support/eventually.ts'
import { connectKeepingAlive, endServersAfter, print, report, startServer } from './server.ts'
import { findLost, startTraffic } from './traffic.ts'

const ROUNDS = 10

const directory = useDirectory()
endServersAfter(afterEach)

it('a server killed ten times during writes loses nothing that was acknowledged, and assigns no id twice', async () => {
  const env = { DATA_DIR: join(directory, 'killed') }
  copyDataDirectory(env.DATA_DIR)
  const created = new Map<string, string>()
  let outcomes = new Set<number | string>()
  for (let round = 0; round < ROUNDS; round += 1) {
    const { url, program } = await startServer(env)
    const traffic = startTraffic(connectKeepingAlive(url), { writers: 8, readers: 0 })
    await eventually(() => expect(traffic.created.size).toBeGreaterThan(50))
    program.child.kill('SIGKILL')
    expect(await program.ended).toBe('SIGKILL')
    await traffic.stop()
    for (const [id, name] of traffic.created) {
      expect(created.has(id), `id ${id} was given twice`).toBe(false)
      created.set(id, name)
    }
    outcomes = outcomes.union(new Set(traffic.failed.keys()))
  }
  // Only errors of lost connections; no response reported a failed write.
  expect(['ECONNREFUSED', 'ECONNRESET', 'EPIPE']).toEqual(expect.arrayContaining([...outcomes]))

  const { client } = await startServer(env)
  expect(await findLost(client, created)).toEqual([])
  report(
    `${ROUNDS} kills on the embedded database: ${print(created.size)} creations acknowledged, 0 lost, 0 ids twice`,
  )
})
