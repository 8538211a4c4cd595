/** The limit of open files, which each connection counts against. */
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { afterEach, expect, it } from 'vitest'
import { createPostgresDatabase, useDatabase } from '../support/database.ts'
import { eventually } from '../support/eventually.ts'
import { endPrograms, logLines, startShell } from '../support/process.ts'
import { KEY } from '../support/service.ts'

const database = useDatabase(createPostgresDatabase)
afterEach(endPrograms)

const hasLimits = existsSync('/proc/self/limits')
if (!hasLimits)
  console.warn('The limit of open files is not tested: this system does not tell it to a process.')

it.skipIf(!hasLimits)(
  'a server refuses clients before its files are needed for the connections to the database, and says so',
  async () => {
    const env = { ...database.env, API_KEYS: `test:${KEY}`, DATABASE_CONNECTIONS: '60' }
    const program = startShell('ulimit -n 180; exec $PETSTORE', env)
    const { port } = new URL(await program.ready)
    const clients: Socket[] = []
    const open = async () => {
      const client = connect(Number(port), '127.0.0.1').on('error', () => undefined)
      clients.push(client)
      await once(client, 'connect')
    }
    // 180 files, without 60 for the database and 100 for all else.
    for (let count = 0; count < 21; count += 1) await open()
    const [first, last] = [clients[0], clients.at(-1)]
    await eventually(() => expect(last?.closed).toBe(true))
    expect(logLines(program, 'connections are refused: raise the limit of open files')).toMatchObject([
      { connections: 20, files: 180 },
    ])
    first?.write('GET /readyz HTTP/1.1\r\nHost: x\r\n\r\n')
    const [answer] = (await once(first ?? expect.unreachable(), 'data')) as [Buffer]
    expect(String(answer)).toMatch(/^HTTP\/1.1 200 /)
    for (const client of clients) client.destroy()
  },
)
