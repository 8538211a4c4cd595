/** The commands that manage API keys. */
import { join } from 'node:path'
import { beforeEach, expect, it } from 'vitest'
import { createClient } from '../support/client.ts'
import { copyDataDirectory, useDatabase } from '../support/database.ts'
import { useDirectory } from '../support/directory.ts'
import { type CreatedKey, createKey, listKeys, runJson, untilTime } from '../support/key-commands.ts'
import { preload, run, startProgram, startShell, stopProgram } from '../support/process.ts'

const directory = useDirectory()
const SECRET = /^pets_[a-z0-9]{8}_[A-Za-z0-9_-]{43}[A-Za-z0-9]{6}$/

const database = useDatabase()
let env: Record<string, string>
beforeEach(() => {
  env = database.env
})

it(
  'on the embedded database, keys are created, rotated, limited to their scope, listed with their last use, and revoked',
  { tags: 'slow' },
  async () => {
    const env = { DATA_DIR: join(directory, 'data') }
    copyDataDirectory(env.DATA_DIR)
    const first = await createKey(env, 'shop', '--scope', 'read', '--expires', '90d')
    const { stdout, stderr } = await run(env, 'keys', 'rotate', 'shop', '--overlap', '1h', '--json')
    const second = JSON.parse(stdout) as CreatedKey
    expect(stderr).toMatch(new RegExp(`${second.id}.*shop.*${env.DATA_DIR}`))
    expect(untilTime(second.expires) / 86_400_000).toBeCloseTo(90, 1)

    const program = startProgram(env)
    const client = createClient(await program.ready, second.secret)
    const before = Date.now()
    expect((await client.send('/v1/pets')).status).toBe(200)
    expect((await client.createPet({ name: 'Rex', categoryId: 1 })).status).toBe(403)
    expect(await stopProgram(program)).toBe(0)
    const listed = await listKeys(env)
    expect(listed).toMatchObject([
      { id: first.id, name: 'shop', scope: 'read', lastUsed: null },
      { id: second.id, name: 'shop', scope: 'read', expires: second.expires },
    ])
    // Printed to the second.
    expect(Date.parse(listed[1]?.lastUsed ?? '')).toBeGreaterThan(before - 1_000)
    expect((await run(env, 'keys', 'revoke', first.id)).status).toBe(0)
    expect((await listKeys(env)).map(({ id }) => id)).toEqual([second.id])
  },
)

it('a rotated secret has the lifetime of the one before, even if only an older one is left, which an overlap has cut', async () => {
  await createKey(env, 'shop')
  const rotate = async () => (await runJson(env, 'keys', 'rotate', 'shop')) as CreatedKey
  await run(env, 'keys', 'revoke', (await rotate()).id)
  expect((await rotate()).expires).toBeNull()
})

it('what the commands for keys print, and their exit statuses', async () => {
  expect(await listKeys(env)).toEqual([])
  const first = await run(env, 'keys', 'create', 'shop', '--scope', 'read', '--expires', '90d')
  expect(first).toMatchObject({ status: 0, stdout: expect.stringMatching(SECRET) })
  expect(first.stderr).toMatch(
    /Created key \w{8} for shop: scope read, valid until 20.*Z, in the database in DATABASE_URL\.$/m,
  )
  expect(first.stderr).not.toContain(first.stdout)
  const app = await createKey(env, 'app')
  expect(app).toEqual({
    id: expect.stringMatching(/^[a-z0-9]{8}$/),
    name: 'app',
    scope: 'write',
    expires: null,
    secret: expect.stringMatching(SECRET),
  })

  const [shopKey, appKey] = await listKeys(env)
  expect(Object.keys(shopKey ?? {})).toEqual(['id', 'name', 'scope', 'created', 'expires', 'lastUsed'])
  expect(shopKey).toMatchObject({ name: 'shop', scope: 'read', lastUsed: null })
  expect(untilTime(shopKey?.expires) / 86_400_000).toBeCloseTo(90, 1)
  expect(appKey).toMatchObject({ id: app.id, name: 'app', scope: 'write', expires: null })
  const table = await run(env, 'keys', 'list')
  expect(table.stdout).toMatch(/^ID +NAME +SCOPE +CREATED +EXPIRES +LAST USED\n.* shop +read .*\n.* app /)
  for (const secret of [first.stdout, app.secret]) expect(table.stdout).not.toContain(secret)

  const rotate = async (...args: string[]) =>
    (await runJson(env, 'keys', 'rotate', 'shop', '--overlap', '1h', ...args)) as CreatedKey
  const rotated = await rotate('--expires', '1d')
  expect(rotated).toMatchObject({ name: 'shop', scope: 'read' })
  expect(untilTime(rotated.expires) / 3_600_000).toBeCloseTo(24, 0)
  // Of several valid keys, the newest counts.
  expect(untilTime((await rotate()).expires) / 3_600_000).toBeCloseTo(24, 0)
  const older = (await listKeys(env)).find(({ id }) => id === shopKey?.id)
  expect(untilTime(older?.expires) / 3_600_000).toBeCloseTo(1, 0)

  expect((await run(env, 'keys', 'revoke', app.secret)).status).toBe(0)
  const again = await run(env, 'keys', 'revoke', app.secret)
  expect([again.status, again.stderr]).toEqual([1, expect.stringContaining(`No key has the id ${app.id}.`)])
  const mistyped = await run(env, 'keys', 'revoke', app.secret.slice(0, -1))
  expect([mistyped.status, mistyped.stderr]).toEqual([1, expect.stringContaining('No key has this secret')])
  expect(mistyped.stderr).not.toContain(app.secret.slice(0, 20))
  expect((await listKeys(env)).map(({ name }) => name)).toEqual(['shop', 'shop', 'shop'])
  expect(await run(env, 'keys', 'revoke', app.id)).toMatchObject({
    status: 1,
    stdout: '',
    stderr: expect.stringContaining('Run "petstore keys list"'),
  })
  for (const command of ['create', 'rotate'])
    expect(await run(env, 'keys', command, app.secret)).toMatchObject({
      status: 2,
      stdout: '',
      stderr: expect.not.stringContaining(app.secret.slice(0, 20)),
    })
  const named = await run(env, 'keys', 'revoke', 'shop')
  expect([named.status, named.stdout]).toEqual([1, ''])
  for (const { id } of await listKeys(env)) expect(named.stderr).toContain(id)
  expect(named.stderr).toContain('petstore keys revoke shop --all')
  expect((await listKeys(env)).length).toBe(3)
  await createKey(env, 'other')
  const { status, stderr } = await run(env, 'keys', 'revoke', 'shop', '--all')
  expect([status, stderr.match(/^Revoked key \w{8} of shop/gm)?.length]).toEqual([0, 3])
  expect((await listKeys(env)).map(({ name }) => name)).toEqual(['other'])
  expect((await run(env, 'keys', 'revoke', 'shop', '--all')).status).toBe(1)
  expect(await run(env, 'keys', 'rotate', 'app')).toMatchObject({
    status: 1,
    stdout: '',
    stderr: expect.stringContaining('No valid key has the name app'),
  })
})

it.each(['> /dev/full', '| true'])(
  'a secret that cannot be printed is an error: %s',
  { tags: 'slow' },
  async (redirection) => {
    const { ended, stderr } = startShell(`$PETSTORE keys create shop ${redirection}`, env)
    expect(await ended).toBe(1)
    expect([stderr[0], stderr.at(-1)]).toEqual([
      expect.stringMatching(/\b\w{8}\b.*shop/),
      expect.stringContaining('stdout'),
    ])
  },
)

it('a rotation whose secret cannot be printed has said that the older ones have expired', async () => {
  await createKey(env, 'shop')
  const { ended, stderr } = startShell('$PETSTORE keys rotate shop --overlap 0 > /dev/full', env)
  expect(await ended).toBe(1)
  expect(stderr.join('\n')).toMatch(/older secrets of shop have expired.*Cannot write to stdout/s)
})

it('a rotation says when the older secrets expire at the latest, since some may expire before the overlap ends', async () => {
  await createKey(env, 'shop', '--expires', '5m')
  const { stderr } = await run(env, 'keys', 'rotate', 'shop', '--overlap', '1h')
  expect(stderr).toContain('The older secrets of shop expire in 1h at the latest.')
})

it('a rotation names the database as its errors do, by the variable of dedicated connections', async () => {
  const url = database.env.DATABASE_URL
  const both = { DATABASE_URL: `${url}?options=-c%20work_mem%3D4MB`, DATABASE_LISTEN_URL: url }
  await createKey(both, 'shop')
  const { stderr } = await run(both, 'keys', 'rotate', 'shop')
  expect(stderr).toContain('in the database in DATABASE_LISTEN_URL.')
})

/** Makes the clock of a process a day fast. */
const fastClock = `const Right = Date
  const now = () => Right.now() + 86_400_000
  globalThis.Date = class extends Right {
    constructor(...args) { super(...(args.length > 0 ? args : [now()])) }
    static now = now
  }`

it('only the clock of the database decides how long a new key is valid', async () => {
  const { stderr } = await run(
    { ...env, NODE_OPTIONS: preload(fastClock) },
    'keys',
    'create',
    'shop',
    '--expires',
    '1h',
  )
  const [key] = await listKeys(env)
  expect(untilTime(key?.expires) / 3_600_000).toBeCloseTo(1, 1)
  expect(stderr).toContain(`valid until ${key?.expires},`)
})

it('a mistyped secret is not repeated, whatever stands before it', async () => {
  for (const text of [' pets_abcdefgh_SECRET', 'Bearer pets_abcdefgh_SECRET', 'xpets_abcdefgh_SECRET'])
    for (const [problem, args] of [
      ['No key has this secret', [text]],
      ['A secret is no name', [text, '--all']],
    ] as const) {
      const { status, stderr } = await run(env, 'keys', 'revoke', ...args)
      expect([status, stderr]).toEqual([1, expect.stringContaining(problem)])
      expect(stderr).not.toContain('SECRET')
    }
})

it('with --all, a secret is no name, although the id in it may be one', async () => {
  const { id, secret } = await createKey(env, 'shop')
  await createKey(env, id)
  const { status, stderr } = await run(env, 'keys', 'revoke', secret, '--all')
  expect([status, stderr]).toEqual([1, expect.stringContaining('leave out --all')])
  expect((await listKeys(env)).map(({ name }) => name)).toEqual(['shop', id])
})

const absent = 'postgres://127.0.0.1:1/x'
const pooled = `${absent}?pooler=transaction`
it.each([
  ['Postgres', 'DATABASE_URL', () => ({ DATABASE_URL: absent })],
  [
    'Postgres behind the pooler',
    'DATABASE_LISTEN_URL',
    () => ({ DATABASE_URL: pooled, DATABASE_LISTEN_URL: absent }),
  ],
  [
    'the pooler',
    'DATABASE_URL',
    () => ({ DATABASE_URL: pooled, DATABASE_LISTEN_URL: database.env.DATABASE_URL }),
  ],
])(
  'if %s cannot be reached, a command does not wait, and says what to do',
  { tags: 'slow' },
  async (_, variable, env) => {
    const { status, stderr } = await run(env(), 'keys', 'list')
    expect(status).toBe(1)
    expect(stderr).toMatch(
      new RegExp(`database in ${variable} cannot be used: .*ECONNREFUSED.*Is Postgres running`, 's'),
    )
  },
)
