/**
 * What a stopping server waits for until its limits have passed. The tests run at once, since they mostly wait.
 *
 * @module-tag slow
 */
import { once } from 'node:events'
import { connect } from 'node:net'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { afterAll, describe, expect, it } from 'vitest'
import { createClient } from '../support/client.ts'
import { connectToEmbedded, copyDataDirectory } from '../support/database.ts'
import { useDirectory } from '../support/directory.ts'
import { eventually } from '../support/eventually.ts'
import { demoKeyOf, endPrograms, startProgram, stopProgram } from '../support/process.ts'

const directory = useDirectory()
afterAll(endPrograms)

/** Starts the program on an embedded database of its own. @param name of its directory */
function start(name: string) {
  const data = join(directory, name)
  copyDataDirectory(data)
  return { program: startProgram({ DATA_DIR: data }), data }
}

describe.concurrent('does not keep the process from ending:', () => {
  it('a client that is slow to send its request', async () => {
    const { program } = start('slow-client')
    const { port } = new URL(await program.ready)
    const socket = connect(Number(port), '127.0.0.1')
    socket.on('error', () => undefined)
    const head = [
      'POST /v1/pets HTTP/1.1',
      'Host: x',
      `Authorization: Bearer ${demoKeyOf(program)}`,
      'Content-Type: application/json',
      'Content-Length: 9',
      'Expect: 100-continue',
    ]
    socket.write(`${head.join('\r\n')}\r\n\r\n{`)
    const [begun] = (await once(socket, 'data')) as [Buffer]
    expect(String(begun)).toContain('100 Continue')
    expect(await stopProgram(program)).toBe(0)
  })

  it('a statement that runs for minutes on the embedded database, which keeps what it has acknowledged', async () => {
    const { program, data } = start('long-statement')
    const client = createClient(await program.ready, demoKeyOf(program))
    expect((await client.createPet({ name: 'kept', categoryId: 1 })).status).toBe(201)
    const sql = connectToEmbedded(join(data, 'socket'))
    const statement = sql`select pg_sleep(600)`.catch(() => 'ended')
    // Nothing is answered while the statement runs.
    const isBlocked = async () => {
      const answer = client.send('/v1/pets/1').catch(() => null)
      return Promise.race([answer.then(() => false), setTimeout(500, true)])
    }
    await eventually(async () => expect(await isBlocked()).toBe(true))
    expect(await stopProgram(program)).toBe(0)
    expect(await statement).toBe('ended')
    await sql.end({ timeout: 0 })

    const again = startProgram({ DATA_DIR: data })
    const other = createClient(await again.ready, demoKeyOf(again))
    expect((await other.send('/v1/pets?limit=100')).text).toContain('"kept"')
  })
})
