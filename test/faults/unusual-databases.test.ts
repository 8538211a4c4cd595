/** Unsuitable databases and URLs. */
import { afterEach, expect, inject, it, onTestFinished } from 'vitest'
import { createPostgresDatabase } from '../support/database.ts'
import { runOn } from '../support/postgres.ts'
import { lockPets } from '../support/table-lock.ts'
import { endServersAfter, startServer, startUnready } from './server.ts'

endServersAfter(afterEach)

it.each(['LATIN1', 'SQL_ASCII'])(
  'the server does not start on a database in %s, and says what to do',
  async (encoding) => {
    const name = `encoded_${encoding.toLowerCase()}`
    const server = inject('postgresUrl')
    await runOn(server, `create database ${name} template template0 encoding '${encoding}' locale 'C'`)
    onTestFinished(async () => {
      await runOn(server, `drop database ${name} with (force)`)
    })
    const program = startUnready({ DATABASE_URL: new URL(`/${name}`, server).href })
    expect(await program.ended).toBe(1)
    const text = program.stderr.filter((line) => !line.startsWith('{')).join('\n')
    expect(text).toContain(`encoding of the database is ${encoding}`)
    expect(text).toContain('ENCODING UTF8')
    expect(program.stdout).toEqual([])
  },
)

it.each(['1', '0'])('statement_timeout=%s in the URL changes nothing', async (timeout) => {
  const database = await createPostgresDatabase()
  onTestFinished(() => database.remove())
  const url = new URL(database.env.DATABASE_URL)
  url.searchParams.set('statement_timeout', timeout)
  // Its migrations take longer than a millisecond.
  const { client } = await startServer({ DATABASE_URL: url.href })
  expect((await client.createPet({ name: 'Rex', categoryId: 1 })).status).toBe(201)

  const lock = await lockPets(database.env.DATABASE_URL)
  const start = performance.now()
  expect((await client.send('/v1/pets')).status).toBe(504)
  expect(performance.now() - start).toBeGreaterThan(1_000)
  // Postgres itself ends the statement: nothing is left waiting.
  await lock.waitForNone()
  await lock.release()
  expect((await client.send('/v1/pets')).status).toBe(200)
})
