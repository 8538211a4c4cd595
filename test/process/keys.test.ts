/** API keys: the commands that manage them, and how soon running servers notice. */
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { type IncomingMessage, request as httpRequest } from 'node:http'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createClient } from '../support/client.ts'
import { copyDataDirectory, createPostgresDatabase } from '../support/database.ts'
import { useDirectory } from '../support/directory.ts'
import { subscribe } from '../support/event-stream.ts'
import { eventually } from '../support/eventually.ts'
import { endPrograms, logLines, ROOT, startCommand, startProgram } from '../support/process.ts'
import { KEY } from '../support/service.ts'

const directory = useDirectory()
const SECRET = /^pets_[a-z0-9]{8}_[A-Za-z0-9_-]{43}[A-Za-z0-9]{6}$/

interface ListedKey {
  id: string
  name: string
  scope: string
  created: string
  expires: string | null
  lastUsed: string | null
}
type CreatedKey = Pick<ListedKey, 'id' | 'name' | 'scope' | 'expires'> & { secret: string }

/** Runs a command until it ends. */
async function run(env: Record<string, string>, ...args: string[]) {
  const program = startProgram(env, args)
  const status = await program.ended
  return { status, stdout: program.stdout.join('\n'), stderr: program.stderr.join('\n') }
}

/** @returns the JSON printed by a command that must succeed */
async function runJson(env: Record<string, string>, ...args: string[]): Promise<unknown> {
  const { status, stdout, stderr } = await run(env, ...args, '--json')
  expect([status, stderr]).toEqual([0, expect.any(String)])
  return JSON.parse(stdout)
}

const create = async (env: Record<string, string>, ...args: string[]) =>
  (await runJson(env, 'keys', 'create', ...args)) as CreatedKey
const list = async (env: Record<string, string>) => (await runJson(env, 'keys', 'list')) as ListedKey[]

let database: Awaited<ReturnType<typeof createPostgresDatabase>>
let env: Record<string, string>
beforeEach(async () => {
  database = await createPostgresDatabase()
  env = database.env
})
afterEach(async () => {
  await endPrograms()
  await database.remove()
})

/** Milliseconds from now until a time; NaN if there is none. */
const untilTime = (time: string | null | undefined) => (time ? Date.parse(time) - Date.now() : NaN)

describe.each(['the embedded database', 'Postgres'])('on %s', (kind) => {
  beforeEach(() => {
    if (kind === 'Postgres') return
    env = { DATA_DIR: join(directory, crypto.randomUUID()) }
    copyDataDirectory(env.DATA_DIR ?? '')
  })

  it('keys are created, rotated, listed and revoked', async () => {
    const first = await create(env, 'shop', '--scope', 'read', '--expires', '90d')
    const { stdout, stderr } = await run(env, 'keys', 'rotate', 'shop', '--overlap', '1h', '--json')
    const second = JSON.parse(stdout) as CreatedKey
    expect(await list(env)).toMatchObject([
      { id: first.id, name: 'shop', scope: 'read' },
      { id: second.id, name: 'shop', scope: 'read', expires: second.expires },
    ])
    expect(untilTime(second.expires) / 86_400_000).toBeCloseTo(90, 1)
    const place = env.DATA_DIR ? `embedded database in ${env.DATA_DIR}` : 'database in DATABASE_URL'
    expect(stderr).toMatch(new RegExp(`^Created key ${second.id} of shop, .*, in the ${place}\\.$`, 'm'))
    expect((await run(env, 'keys', 'revoke', first.id)).status).toBe(0)
    expect((await list(env)).map(({ id }) => id)).toEqual([second.id])
  })

  it('a server accepts a created key, limits it to its scope, and records its last use when it stops', async () => {
    const { secret } = await create(env, 'shop', '--scope', 'read')
    const program = startProgram(env)
    const client = createClient(await program.ready, secret)
    const before = Date.now()
    expect((await client.send('/v1/pets')).status).toBe(200)
    expect((await client.createPet({ name: 'Rex', categoryId: 1 })).status).toBe(403)
    program.child.kill('SIGTERM')
    expect(await program.ended).toBe(0)
    const [key] = await list(env)
    // Printed to the second.
    expect(Date.parse(key?.lastUsed ?? '')).toBeGreaterThan(before - 1_000)
  })

  it('a subscription ends when its key expires', async () => {
    const { secret, expires } = await create(env, 'shop', '--expires', '15s')
    const url = await startProgram(env).ready
    const stream = await subscribe(url, secret, 'subscription { petChanged { kind } }')
    expect(stream.response.statusCode).toBe(200)
    expect(await stream.next()).toBeNull()
    // Printed to the second.
    expect(untilTime(expires)).toBeLessThan(1_000)
    expect((await createClient(url, secret).send('/v1/pets')).status).toBe(401)
  })
})

it('what the commands for keys print, and their exit statuses', async () => {
  expect(await list(env)).toEqual([])
  const first = await run(env, 'keys', 'create', 'shop', '--scope', 'read', '--expires', '90d')
  expect(first).toMatchObject({ status: 0, stdout: expect.stringMatching(SECRET) })
  expect(first.stderr).toMatch(
    /Created key \w{8} of shop, scope read, valid until 20.*Z, in the database in DATABASE_URL\.$/m,
  )
  expect(first.stderr).not.toContain(first.stdout)
  const app = await create(env, 'app')
  expect(app).toEqual({
    id: expect.stringMatching(/^[a-z0-9]{8}$/),
    name: 'app',
    scope: 'write',
    expires: null,
    secret: expect.stringMatching(SECRET),
  })

  const [shopKey, appKey] = await list(env)
  expect(Object.keys(shopKey ?? {})).toEqual(['id', 'name', 'scope', 'created', 'expires', 'lastUsed'])
  expect(shopKey).toMatchObject({ name: 'shop', scope: 'read', lastUsed: null })
  expect(untilTime(shopKey?.expires) / 86_400_000).toBeCloseTo(90, 1)
  expect(appKey).toMatchObject({ id: app.id, name: 'app', scope: 'write', expires: null })
  const table = await run(env, 'keys', 'list')
  expect(table.stdout).toMatch(/^ID +NAME +SCOPE +CREATED +EXPIRES +LAST USED\n.* shop +read .*\n.* app /)
  for (const secret of [first.stdout, app.secret]) expect(table.stdout).not.toContain(secret)

  const rotated = (await runJson(
    env,
    'keys',
    'rotate',
    'shop',
    '--overlap',
    '1h',
    '--expires',
    '1d',
  )) as CreatedKey
  expect(rotated).toMatchObject({ name: 'shop', scope: 'read' })
  expect(untilTime(rotated.expires) / 3_600_000).toBeCloseTo(24, 0)
  // Of several valid keys, the newest counts.
  const again = (await runJson(env, 'keys', 'rotate', 'shop', '--overlap', '1h')) as CreatedKey
  expect(untilTime(again.expires) / 3_600_000).toBeCloseTo(24, 0)
  const older = (await list(env)).find(({ id }) => id === shopKey?.id)
  expect(untilTime(older?.expires) / 3_600_000).toBeCloseTo(1, 0)

  expect((await run(env, 'keys', 'revoke', app.id)).status).toBe(0)
  expect((await list(env)).map(({ name }) => name)).toEqual(['shop', 'shop', 'shop'])
  expect(await run(env, 'keys', 'revoke', app.id)).toMatchObject({
    status: 1,
    stdout: '',
    stderr: expect.stringContaining('"keys list" prints the ids'),
  })
  expect(await run(env, 'keys', 'rotate', 'app')).toMatchObject({
    status: 1,
    stdout: '',
    stderr: expect.stringContaining('No valid key has the name app'),
  })
})

it.each(['> /dev/full', '| true'])('a secret that cannot be printed is an error: %s', async (redirection) => {
  const petstore = `${process.execPath} ${join(ROOT, 'bin', 'petstore.js')}`
  const line = `set -o pipefail; ${petstore} keys create shop ${redirection}`
  const { ended, stderr } = startCommand('bash', ['-c', line], { env })
  expect(await ended).toBe(1)
  expect(stderr[0]).toMatch(/^Created key \w{8} of shop/)
  expect(stderr.at(-1)).toMatch(/^Cannot write stdout: .*\.$/)
})

it('while a server uses the embedded database, a command fails and names the process', async () => {
  const DATA_DIR = join(directory, 'in-use')
  copyDataDirectory(DATA_DIR)
  const server = startProgram({ DATA_DIR })
  await server.ready
  const { status, stdout, stderr } = await run({ DATA_DIR }, 'keys', 'create', 'shop')
  expect([status, stdout]).toEqual([1, ''])
  expect(stderr).toMatch(new RegExp(`in use by process ${server.child.pid}.*Stop that process`, 's'))
})

const absent = 'postgres://127.0.0.1:1/x'
it.each([
  { what: 'Postgres', variable: 'DATABASE_URL', env: () => ({ DATABASE_URL: absent }) },
  {
    what: 'Postgres behind the pooler',
    variable: 'DATABASE_LISTEN_URL',
    env: () => ({ DATABASE_URL: `${absent}?pooler=transaction`, DATABASE_LISTEN_URL: absent }),
  },
  {
    what: 'the pooler',
    variable: 'DATABASE_URL',
    env: () => ({
      DATABASE_URL: `${absent}?pooler=transaction`,
      DATABASE_LISTEN_URL: database.env.DATABASE_URL,
    }),
  },
])('if $what cannot be reached, a command does not wait, and says what to do', async ({ variable, env }) => {
  const { status, stderr } = await run(env(), 'keys', 'list')
  expect(status).toBe(1)
  expect(stderr).toMatch(
    new RegExp(`database in ${variable} cannot be used: .*ECONNREFUSED.*Is Postgres running`, 's'),
  )
})

it.each([
  [['keys']],
  [['keys', 'make']],
  [['keys', 'create']],
  [['keys', 'create', 'a b']],
  [['keys', 'create', 'shop', '--scope', 'admin']],
  [['keys', 'create', 'shop', '--expires', '2020-01-01']],
  [['keys', 'create', 'shop', '--expires', 'tomorrow']],
  [['keys', 'list', 'shop']],
  [['keys', 'revoke']],
  [['keys', 'rotate', 'shop', '--overlap', '1w']],
  [['migrate', 'now']],
])('wrong usage exits with 2, and prints nothing on stdout: %j', async (args) => {
  const { status, stdout, stderr } = await run(env, ...args)
  expect([status, stdout]).toEqual([2, ''])
  expect(stderr).toMatch(/^(error: |Usage: )/)
})

it.each([['serve'], ['migrate'], ['keys'], ['keys create'], ['keys list'], ['keys revoke'], ['keys rotate']])(
  '%s --help has an example',
  async (command) => {
    const { status, stdout } = await run({}, ...command.split(' '), '--help')
    expect(status).toBe(0)
    expect(stdout).toMatch(/^Usage: petstore .*\nExample:\n {2}\S/s)
  },
)

describe('while two servers run', () => {
  let urls: string[]
  beforeEach(async () => {
    urls = await Promise.all([1, 2].map(() => startProgram(env).ready))
  })

  /** Waits until each server answers a request with this secret with this status. */
  const expectStatus = (secret: string, status: number) =>
    eventually(async () => {
      const answers = urls.map((url) => createClient(url, secret).send('/v1/pets'))
      expect((await Promise.all(answers)).map((answer) => answer.status)).toEqual([status, status])
    })

  it('both accept a new key, and reject it once it is revoked', async () => {
    const { id, secret } = await create(env, 'shop')
    await expectStatus(secret, 200)
    expect((await run(env, 'keys', 'revoke', id)).status).toBe(0)
    await expectStatus(secret, 401)
  })

  it('both reject a key that has expired, and the old secret of a rotated name when the overlap ends', async () => {
    const old = await create(env, 'old', '--scope', 'read')
    const { secret, expires } = await create(env, 'shop', '--expires', '8s')
    const rotated = (await runJson(env, 'keys', 'rotate', 'old', '--overlap', '8s')) as CreatedKey
    expect(rotated.expires).toBeNull()
    for (const valid of [secret, old.secret, rotated.secret]) await expectStatus(valid, 200)
    for (const expired of [secret, old.secret]) await expectStatus(expired, 401)
    expect(untilTime(expires)).toBeLessThanOrEqual(0)
    await expectStatus(rotated.secret, 200)
  })

  it('a subscription ends when its key is revoked', async () => {
    const { id, secret } = await create(env, 'shop')
    await expectStatus(secret, 200)
    const stream = await subscribe(urls[0] ?? '', secret, 'subscription { petChanged { kind } }')
    expect((await run(env, 'keys', 'revoke', id)).status).toBe(0)
    expect(await stream.next()).toBeNull()
    stream.abort()
  })
})

describe('a key that is revoked while the body of a request is on its way', () => {
  const file = join(directory, 'ending-keys')
  const inFile = 'the-secret-of-the-file'

  it.each(['the database', 'API_KEYS_FILE'])('is rejected, and nothing is done: %s', async (source) => {
    const { id, secret: stored } = await create(env, 'shop')
    writeFileSync(file, `shop:${inFile}`)
    const program = startProgram({ ...env, API_KEYS: `test:${KEY}`, API_KEYS_FILE: file })
    const url = await program.ready
    const secret = source === 'API_KEYS_FILE' ? inFile : stored
    const requests = [
      beginRequest(url, secret, '/v1/pets', { name: 'Rex', categoryId: 1 }),
      beginRequest(url, secret, '/graphql', {
        query: 'mutation { createPet(input: {name: "Rex", categoryId: 1}) { id } }',
      }),
      beginRequest(url, secret, '/graphql', { query: 'subscription { petChanged { kind } }' }),
    ]
    // They have arrived before this one.
    expect((await createClient(url, secret).send('/v1/pets')).status).toBe(200)
    if (source === 'API_KEYS_FILE') {
      writeFileSync(file, '')
      program.child.kill('SIGHUP')
    } else {
      const sql = database.connect()
      await sql`delete from api_keys where id = ${id}`
      await sql.end()
    }
    await eventually(async () => expect((await createClient(url, secret).send('/v1/pets')).status).toBe(401))
    expect(await Promise.all(requests.map((finish) => finish()))).toEqual([401, 401, 401])
    expect((await createClient(url, KEY).send('/v1/pets')).json).toEqual([])
  })
})

/** Sends the headers and the beginning of the body. @returns sends the rest, and returns the status of the answer */
function beginRequest(
  url: string,
  key: string,
  path: string,
  body: object,
): () => Promise<number | undefined> {
  const text = JSON.stringify(body)
  const headers = {
    authorization: `Bearer ${key}`,
    accept: 'application/json, text/event-stream',
    'content-type': 'application/json',
    'content-length': text.length,
  }
  const request = httpRequest(`${url}${path}`, { method: 'POST', agent: false, headers })
  request.write(text.slice(0, 5))
  return async () => {
    const answered = once(request, 'response')
    request.end(text.slice(5))
    const [response] = (await answered) as [IncomingMessage]
    response.destroy()
    return response.statusCode
  }
}

it('rate limits and idempotency keys belong to the name of a key', async () => {
  const url = await startProgram({ ...env, RATE_LIMIT: '100/3600' }).ready
  const [old, other] = [await create(env, 'shop'), await create(env, 'other')]
  const rotated = (await runJson(env, 'keys', 'rotate', 'shop')) as CreatedKey
  await eventually(async () =>
    expect((await createClient(url, rotated.secret).send('/v1/pets')).status).toBe(200),
  )
  const createPet = ({ secret }: CreatedKey) =>
    createClient(url, secret).createPet(
      { name: 'Rex', categoryId: 1 },
      { headers: { 'idempotency-key': 'once' } },
    )
  const [first, again, foreign] = [await createPet(old), await createPet(rotated), await createPet(other)]
  expect(again.text).toBe(first.text)
  expect(foreign.text).not.toBe(first.text)
  const left = [first, again, foreign].map(({ headers }) => /r=(\d+)/.exec(String(headers.ratelimit))?.[1])
  expect(left).toEqual(['98', '97', '99'])
})

describe('API_KEYS_FILE', () => {
  const file = join(directory, 'keys')

  it('is reloaded on SIGHUP; if it has an error, the earlier keys stay valid', async () => {
    writeFileSync(file, 'ann:the-secret-of-ann\n')
    const program = startProgram({ ...env, API_KEYS: `test:${KEY}`, API_KEYS_FILE: file })
    const client = createClient(await program.ready, KEY)
    const statuses = async (...keys: string[]) => {
      const answers = await Promise.all(keys.map((key) => client.send('/v1/pets', { key })))
      return answers.map(({ status }) => status)
    }
    const secrets = ['the-secret-of-ann', 'the-secret-of-bob', KEY]
    expect(await statuses(...secrets)).toEqual([200, 401, 200])

    writeFileSync(file, 'bob:the-secret-of-bob:read\n')
    program.child.kill('SIGHUP')
    await eventually(() => expect(logLines(program, 'API_KEYS_FILE has been reloaded')).toHaveLength(1))
    expect(await statuses(...secrets)).toEqual([401, 200, 200])

    writeFileSync(file, 'ann:the-secret-of-ann\nbob\n')
    program.child.kill('SIGHUP')
    const message = 'API_KEYS_FILE cannot be used; the earlier keys stay valid'
    await eventually(() =>
      expect(logLines(program, message)).toMatchObject([{ reason: expect.stringContaining('line 2') }]),
    )
    expect(await statuses(...secrets)).toEqual([401, 200, 200])
    expect(program.stderr.join('\n')).not.toContain('the-secret')
  })

  it('with an error prevents the start', async () => {
    writeFileSync(file, 'ann')
    const { status, stdout, stderr } = await run({ ...env, API_KEYS_FILE: file })
    expect([status, stdout]).toEqual([1, ''])
    expect(stderr).toContain('API_KEYS_FILE, line 1, must be name:secret')
  })

  it('is not set: SIGHUP ends the process, as it does by default', async () => {
    const program = startProgram(env)
    await program.ready
    program.child.kill('SIGHUP')
    expect(await program.ended).toBe('SIGHUP')
  })
})

it('a server on a Postgres without keys logs how to create one', async () => {
  const program = startProgram(env)
  await program.ready
  await eventually(() =>
    expect(program.stderr.join('\n')).toContain('create one with \\"petstore keys create\\"'),
  )
})
