/**
 * How soon running servers notice that API keys change.
 *
 * @module-tag slow
 */
import { beforeEach, describe, expect, it } from 'vitest'
import { createClient } from '../support/client.ts'
import { useDatabase } from '../support/database.ts'
import { STREAM_TYPES, subscribe } from '../support/event-stream.ts'
import { eventually } from '../support/eventually.ts'
import { type CreatedKey, createKey, runJson, untilTime } from '../support/key-commands.ts'
import { run, startProgram, stopProgram } from '../support/process.ts'

const database = useDatabase()

it('a subscription ends when its key expires', async () => {
  const { url, secret, expires, stream } = await subscribeWithKey(database.env)
  expect(await stream.next()).toBeNull()
  // Printed to the second.
  expect(untilTime(expires)).toBeLessThan(1_000)
  expect((await createClient(url, secret).send('/v1/pets')).status).toBe(401)
})

/** Starts a server, and subscribes with a key that expires soon: a busy machine may need longer than the first ones are valid. */
async function subscribeWithKey(env: Record<string, string>) {
  for (const seconds of [3, 15, 60]) {
    const key = await createKey(env, 'shop', '--expires', `${seconds}s`)
    const program = startProgram(env)
    const url = await program.ready
    const stream = await subscribe(url, key.secret, 'subscription { petChanged { kind } }')
    if (stream.response.statusCode === 200) return { ...key, url, stream }
    await stopProgram(program)
  }
  throw new Error('Every key had expired before it could be used')
}

describe('while two servers run', () => {
  let urls: string[]
  beforeEach(async () => {
    urls = await Promise.all([1, 2].map(() => startProgram(database.env).ready))
  })

  /** Waits until each server answers a request with this secret with this status. */
  const expectStatus = (secret: string, status: number) =>
    eventually(async () => {
      const answers = urls.map((url) => createClient(url, secret).send('/v1/pets'))
      expect((await Promise.all(answers)).map((answer) => answer.status)).toEqual([status, status])
    })

  it('two servers accept a new key, and reject it once it is revoked; its subscriptions end', async () => {
    const { id, secret } = await createKey(database.env, 'shop')
    await expectStatus(secret, 200)
    const query = 'subscription { petChanged { kind } }'
    const streams = await Promise.all(
      STREAM_TYPES.map((type) => subscribe(urls[0] ?? '', secret, query, {}, type)),
    )
    expect((await run(database.env, 'keys', 'revoke', id)).status).toBe(0)
    for (const stream of streams) expect(await stream.next()).toBeNull()
    await expectStatus(secret, 401)
  })

  it('two servers reject all older secrets of a name that is rotated without an overlap, or revoked', async () => {
    const older = await Promise.all([1, 2].map(() => createKey(database.env, 'shop')))
    for (const { secret } of older) await expectStatus(secret, 200)
    const stream = await subscribe(
      urls[0] ?? '',
      older[0]?.secret ?? '',
      'subscription { petChanged { kind } }',
    )
    const rotated = (await runJson(database.env, 'keys', 'rotate', 'shop', '--overlap', '0')) as CreatedKey
    expect(await stream.next()).toBeNull()
    for (const { secret } of older) await expectStatus(secret, 401)
    await expectStatus(rotated.secret, 200)
    expect((await run(database.env, 'keys', 'revoke', 'shop', '--all')).status).toBe(0)
    await expectStatus(rotated.secret, 401)
  })

  it('two servers reject a key that has expired, and the old secret of a rotated name when the overlap ends', async () => {
    const old = await createKey(database.env, 'old', '--scope', 'read')
    const { secret } = await createKey(database.env, 'shop', '--expires', '1h')
    const rotated = (await runJson(database.env, 'keys', 'rotate', 'old', '--overlap', '1h')) as CreatedKey
    expect(rotated.expires).toBeNull()
    for (const valid of [secret, old.secret, rotated.secret]) await expectStatus(valid, 200)
    // Soon, however long the commands and requests have taken; a server reads it to the second.
    const sql = database.connect()
    await sql`update api_keys set expires_at = date_trunc('second', now()) + interval '3 seconds' where expires_at is not null`
    for (const expired of [secret, old.secret]) await expectStatus(expired, 401)
    // Not too early, by the same clock.
    expect(await sql`select from api_keys where expires_at > now()`).toEqual([])
    await sql.end()
    await expectStatus(rotated.secret, 200)
  })
})

it('a server without any key logs how to create one', async () => {
  const program = startProgram(database.env)
  await program.ready
  const advice = 'create one with \\"petstore keys create\\"'
  await eventually(() => expect(program.stderr.join('\n')).toContain(advice))
})
