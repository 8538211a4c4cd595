/** Unsuitable databases and URLs. */
import { chmodSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { networkInterfaces } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, inject, it, onTestFinished } from 'vitest'
import { hasOpenssl, makeCertificate } from '../support/certificate.ts'
import { createPostgresDatabase } from '../support/database.ts'
import { useDirectory } from '../support/directory.ts'
import { eventually } from '../support/eventually.ts'
import { giveToPostgres, runOn, startPostgres, startStandby, type TestPostgres } from '../support/postgres.ts'
import { run, waitLines } from '../support/process.ts'
import { lockPets } from '../support/table-lock.ts'
import { connect, endServersAfter, report, startServer, startUnready } from './server.ts'
import { listenOnLoopback } from '../support/free-port.ts'

const directory = useDirectory()
endServersAfter(afterEach)

/** Runs the command that lists the keys. @returns its exit status, and what it has said */
async function listKeys(url: URL | string): Promise<[number | string, string]> {
  const { status, stderr } = await run({ DATABASE_URL: String(url) }, 'keys', 'list')
  return [status, stderr]
}

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

it.each([
  ['', '25006: this Postgres is a standby'],
  ['empty ', expect.stringMatching(/^25006: /) as string],
])(
  'a server with a standby of an %sprimary waits, says what to do, and serves once it is promoted',
  async (kind, cause) => {
    const primary = await startPostgres()
    if (kind !== 'empty ') await startServer({ DATABASE_URL: primary.url })
    const standby = await startStandby(primary)
    onTestFinished(async () => {
      await standby.remove()
      await primary.remove()
    })
    const program = startUnready({ DATABASE_URL: standby.url })
    const client = connect(await program.listening)
    const advice = expect.stringMatching(/is a standby.*host1:5432,host2:5432/) as string
    await eventually(() => expect(waitLines(program)).toMatchObject([{ cause, advice }]))
    expect((await client.send('/readyz')).status).toBe(503)
    expect(await run({ DATABASE_URL: standby.url }, 'keys', 'list')).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('is a standby'),
    })
    await runOn(standby.url, 'select pg_promote()')
    await program.ready
    expect((await client.createPet({ name: 'Rex', categoryId: 1 })).status).toBe(201)
  },
)

describe('a Postgres with unusual rules for connections', () => {
  const hasIpv6 = Object.values(networkInterfaces())
    .flat()
    .some((address) => address?.address === '::1')
  let postgres: TestPostgres
  beforeAll(async () => {
    const rules = [
      'hostssl all encrypted all scram-sha-256',
      'host all prepared all scram-sha-256',
      'host all hashed all md5',
      'host all postgres all trust',
    ]
    const files: Record<string, string> = {}
    if (hasOpenssl) {
      const { certificate, key } = makeCertificate(directory, 'server')
      chmodSync(key, 0o600)
      for (const path of [directory, key]) giveToPostgres(path)
      Object.assign(files, { ssl: 'on', ssl_cert_file: certificate, ssl_key_file: key })
    }
    const hosts = hasIpv6 ? '127.0.0.1,::1' : '127.0.0.1'
    postgres = await startPostgres({ fsync: 'off', listen_addresses: hosts, ...files })
    writeFileSync(join(postgres.data, 'pg_hba.conf'), `${rules.join('\n')}\n`)
    await runOn(postgres.url, 'select pg_reload_conf()')
  })
  afterAll(() => postgres.remove())

  const urlOf = (user: string, password: string) =>
    Object.assign(new URL(postgres.url), { username: user, password: encodeURIComponent(password) })

  it.skipIf(!hasIpv6)('an IPv6 address is found', async () => {
    const url = new URL(postgres.url)
    const { client } = await startServer({ DATABASE_URL: url.href.replace('127.0.0.1', '[::1]') })
    expect((await client.send('/readyz')).status).toBe(200)
  })
  if (!hasIpv6) report('IPv6 is not tested, since there is no ::1')

  it.each(['p\u00a0w\u00aa', '\u2168', 'p@ss:w/rd?#%'])('the password %j is accepted', async (password) => {
    await runOn(postgres.url, 'drop role if exists prepared')
    await runOn(postgres.url, `create role prepared superuser login password '${password}'`)
    expect(await listKeys(urlOf('prepared', password))).toEqual([0, expect.stringContaining('no keys')])
  })

  it.skipIf(!hasOpenssl)(
    'that accepts only encrypted connections: the error says why it failed, and what to do',
    async () => {
      await runOn(postgres.url, `create role encrypted superuser login password 'hush'`)
      const url = urlOf('encrypted', 'hush')
      const [status, text] = await listKeys(url)
      expect(status).toBe(1)
      expect(text).toMatch(/28000: no pg_hba\.conf entry .*no encryption.*add \?sslmode=require/s)
      expect(text).not.toContain('hush')
      for (const mode of ['allow', 'prefer', 'require']) {
        url.searchParams.set('sslmode', mode)
        expect([mode, ...(await listKeys(url))]).toEqual([mode, 0, expect.anything()])
      }
    },
  )

  it.skipIf(!hasOpenssl)(
    'the reason for which Postgres closes a connection is reported over TLS, too',
    async () => {
      await runOn(postgres.url, `create role other login superuser`)
      const url = urlOf('other', '')
      url.searchParams.set('sslmode', 'require')
      expect(await listKeys(url)).toEqual([
        1,
        expect.stringContaining('28000: no pg_hba.conf entry for host'),
      ])
    },
  )
})

it.each([
  ['prefer', 0],
  ['require', 1],
])('a Postgres without TLS, with sslmode=%s', async (mode, code) => {
  const database = await createPostgresDatabase()
  onTestFinished(() => database.remove())
  const url = new URL(database.env.DATABASE_URL)
  url.searchParams.set('sslmode', mode)
  const [status, text] = await listKeys(url)
  expect(status).toBe(code)
  if (code === 1) expect(text).toMatch(/ERR_TLS_UNSUPPORTED.*remove sslmode/s)
})

it.each(['', 'HTTP/1.1 400 Bad Request\r\n\r\n'])(
  'a peer that is no Postgres, and answers %j',
  async (answer) => {
    const server = createServer((socket) => socket.on('error', () => undefined).end(answer))
    const port = await listenOnLoopback(server)
    onTestFinished(() => void server.close())
    for (const query of ['', '?sslmode=require']) {
      const expected = expect.stringMatching(
        /Postgres closed the connection|does not accept encrypted/,
      ) as string
      expect(await listKeys(`postgres://user@127.0.0.1:${port}/pets${query}`)).toEqual([1, expected])
    }
  },
)
