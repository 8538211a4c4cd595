/** `npm run verify` against this server, a server that serves the contract alone, and servers that break it. */
import { readFileSync } from 'node:fs'
import https from 'node:https'
import { join } from 'node:path'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { checkServer } from '../conformance/check-server.ts'
import { createSend } from '../conformance/http-client.ts'
import { hasOpenssl, makeCertificate } from '../support/certificate.ts'
import { createClient } from '../support/client.ts'
import {
  type ContractServer,
  create,
  error,
  type Fault,
  startContractServer,
} from '../support/contract-server.ts'
import { copyDataDirectory, createMigratedDatabase } from '../support/database.ts'
import { useDirectory } from '../support/directory.ts'
import { endPrograms, ROOT, runVerify, startCommand, startProgram } from '../support/process.ts'
import { KEY } from '../support/service.ts'
import { listenOnLoopback } from '../support/free-port.ts'
import { verifyHere } from '../support/verify.ts'

const directory = useDirectory()
if (!hasOpenssl) console.warn('TLS is not tested, since there is no openssl.')

const verify = (args: string[], key = KEY) => verifyHere(key, ...args)

/** What fails, of the contract or of both. */
const failing = (stdout: string, of: 'contract' | 'all' = 'all') =>
  (of === 'all' ? stdout : (stdout.split('\nAdditions')[0] ?? '')).match(/^ {2}fails .*$/gm) ?? []

/** The ids in the last line, which says which pets it has left. */
const createdIds = (stderr: string) => stderr.split('\n').at(-1)?.match(/\d+/g)

async function startContract(pets = 30): Promise<ContractServer> {
  const server = await startContractServer(KEY)
  const statuses = ['available', 'pending', 'sold']
  for (let index = 0; index < pets; index += 1)
    create(server.pets, JSON.stringify({ name: `Pet ${index}`, categoryId: 1, status: statuses[index % 3] }))
  return server
}

describe.each(['the embedded database with demo pets', 'an empty Postgres'])(
  'this server on %s',
  { tags: 'slow' },
  (kind) => {
    let baseUrl: string
    beforeAll(async () => {
      const database = kind.includes('Postgres') ? await createMigratedDatabase() : null
      const data = { DATA_DIR: join(directory, 'data') }
      if (!database) copyDataDirectory(data.DATA_DIR)
      const url = await startProgram({ ...(database?.env ?? data), API_KEYS: `test:${KEY}` }).ready
      baseUrl = `${url}/v1`
      return async () => {
        await endPrograms()
        await database?.remove()
      }
    })

    const countPets = async () =>
      ((await createClient(baseUrl, KEY).send('/v1/pets?limit=100')).json as unknown[]).length

    it('keeps every clause, and nothing changes', async () => {
      const before = await countPets()
      const { status, stdout, stderr } = await verify([baseUrl])
      expect([status, stderr]).toEqual([0, ''])
      expect(stdout).toMatch(/^\nThe contract\n {2}holds {2}LIST-01 {6}a list is a JSON array of pets\n/)
      expect(failing(stdout)).toEqual([])
      expect(stdout).not.toContain('\u001B')
      expect(await countPets()).toBe(before)
    })

    it('keeps those of createPet with --write, which names the pets that remain', async () => {
      const { status, stdout, stderr } = await verify([baseUrl, '--write'])
      expect([status, failing(stdout)]).toEqual([0, []])
      const ids = createdIds(stderr) ?? []
      expect(ids).toHaveLength(10)
      const client = createClient(baseUrl, KEY)
      for (const id of ids) {
        const name = expect.stringMatching(/^petstore verify/) as string
        expect((await client.send(`/v1/pets/${id}`)).json).toMatchObject({ id: Number(id), name })
      }
    })
  },
)

it('npm run verify passes the arguments and the exit status on', { tags: 'slow' }, async () => {
  const run = (...args: string[]) =>
    startCommand('npm', ['run', '--silent', 'verify', '--', ...args], {
      cwd: ROOT,
      env: { ...process.env, PETSTORE_API_KEY: KEY },
    })
  const server = await startContract()
  onTestFinished(() => server.close())
  expect(await run(server.baseUrl, '--write').ended).toBe(0)
  expect(server.methods).toContain('POST')
  expect(await run('ftp://a/v1').ended).toBe(2)
})

describe('a server that serves the contract alone', () => {
  it('passes with more pets than a page has, by GET and HEAD alone', async () => {
    const pets = 150
    const server = await startContract(pets)
    onTestFinished(() => server.close())
    const { status, stdout } = await verify([server.baseUrl])
    expect([status, failing(stdout, 'contract')]).toEqual([0, []])
    expect([new Set(server.methods), server.pets.size]).toEqual([new Set(['GET', 'HEAD']), pets])
  })

  it('passes without pets and with --write', async () => {
    const server = await startContract(0)
    onTestFinished(() => server.close())
    const { status, stdout, stderr } = await verify([server.baseUrl, '--write'])
    expect([status, failing(stdout, 'contract')]).toEqual([0, []])
    expect(new Set(server.methods)).toEqual(new Set(['GET', 'HEAD', 'POST']))
    expect(createdIds(stderr)).toEqual([...server.pets.keys()])
    for (const pet of server.pets.values()) expect(pet).toContain('"petstore verify')
  })
})

type Request = Parameters<Fault>[1]
const target = ({ method, url }: Request) => `${method} ${url.pathname}${url.search}`
/** Changes the answers to one request that have a status. */
const when =
  (request: string, status: number, change: (body: string) => string | ReturnType<Fault>): Fault =>
  (answer, received) => {
    if (target(received) !== request || answer.status !== status) return answer
    const changed = change(answer.body)
    return typeof changed === 'string' ? { ...answer, body: changed } : changed
  }
const whenRequested =
  (pattern: RegExp, fault: Fault): Fault =>
  (answer, received) =>
    pattern.test(`${target(received)} ${received.body}`) ? fault(answer, received) : answer
const pet = '{"id":1,"name":"Rex","categoryId":1}'
const manyPets = `[${Array.from({ length: 101 }, (_, id) => pet.replace('1', String(id))).join()}]`
const ok = (body: string) => () => ({ status: 200, body })
const created = () => ({ status: 201, body: pet })
const round = (body: string) => body.replace(/\d{16,}/, (digits) => BigInt(Number(digits)).toString())

const missing = 'GET /v1/pets/8999999999999999999'

/** What is wrong with a server, and the clauses of the contract that say so. */
const faultyReads: [fault: string, ids: string, Fault | null][] = [
  ['nothing', '', null],
  ['an envelope', 'LIST-01 LIST-02', when('GET /v1/pets', 200, (body) => `{"pets":${body}}`)],
  ['101 by default', 'LIST-02', when('GET /v1/pets', 200, () => manyPets)],
  ['limit=1 ignored', 'LIST-03', when('GET /v1/pets?limit=1', 200, () => manyPets)],
  ['a status ignored', 'LIST-09.2', when('GET /v1/pets?limit=100&status=pending', 200, () => `[${pet}]`)],
  [
    'a status that misses one',
    'LIST-09.3',
    when('GET /v1/pets?limit=100&status=sold', 200, (body) => body.replace(/\{.*?\},/, '')),
  ],
  ['another name', 'GET-01', when('GET /v1/pets/30', 200, (body) => body.replace('Pet', 'pet'))],
  ['no JSON', 'GET-01', when('GET /v1/pets/30', 200, () => '<html>')],
  ['500 for an unknown id', 'GET-03', when(missing, 404, () => error(500, 'x'))],
  ['an id that is rounded', 'GET-05.3', when('GET /v1/pets/9223372036854775807', 404, ok(pet))],
  [
    'a list without a key',
    'KEY-1.1',
    whenRequested(/pets $/, (right, { key }) => (key === '' ? ok('[]')() : right)),
  ],
  [
    'a pet for an unknown key',
    'KEY-3.2',
    whenRequested(/pets\/30/, (right, { key }) => (key === 'Bearer wrong' ? ok(pet)() : right)),
  ],
  [
    'the beginning of a key',
    'KEY-1.3',
    whenRequested(/GET \/v1\/pets $/, (right, { key }) =>
      key === `Bearer ${KEY.slice(0, -1)}` ? ok('[]')() : right,
    ),
  ],
]

const faultyCreations: typeof faultyReads = [
  ['nothing, with --write', '', null],
  [
    '200 for a creation',
    'CREATE-01',
    whenRequested(/"sold"/, (right) => (right.status === 201 ? { ...right, status: 200 } : right)),
  ],
  [
    'rounded int64',
    'CREATE-24.1 CREATE-24.2',
    whenRequested(/^POST/, (right) => ({ ...right, body: round(right.body) })),
  ],
  ['a pet without a name', 'CREATE-03', whenRequested(/^POST \S+ \{"categoryId":1\}/, created)],
  ['an unknown status', 'CREATE-08.3', whenRequested(/"lost"/, created)],
  [
    'a name changed',
    'CREATE-25 GET-09',
    whenRequested(/Zoë/, (right) => ({ ...right, body: right.body.replace('ë', 'e') })),
  ],
  [
    'a creation without a key',
    'KEY-2.1',
    whenRequested(/^POST/, (right, { key }) => (key === '' ? created() : right)),
  ],
  [
    'a created pet that is not found',
    'GET-01 GET-09',
    whenRequested(/pets\/3[1-9]/, (right) => (right.status === 200 ? error(404, 'x') : right)),
  ],
]

describe.each([
  { faults: faultyReads, writes: false },
  { faults: faultyCreations, writes: true },
])('a server that breaks the contract (--write: $writes)', ({ faults, writes }) => {
  // In this process: starting one for each takes longer than all of them.
  it.each(faults)('%s: the clauses that fail are: %s', async (_, ids, fault) => {
    const server = await startContract()
    onTestFinished(() => server.close())
    server.fault = fault
    const found: string[] = []
    const options = { send: createSend(server.baseUrl), key: KEY, writes, onCreated: () => undefined }
    for await (const { id, origin, outcome } of checkServer(options))
      if (origin === 'contract' && outcome === 'fails') found.push(id)
    expect(found.join(' ')).toBe(ids)
  })
})

describe('a server that breaks the contract', () => {
  it.each([
    ['101 by default', []],
    ['rounded int64', ['--write']],
  ])('makes the command exit with 1: %s', async (name, args) => {
    const server = await startContract()
    onTestFinished(() => server.close())
    const [, ids, fault = null] = [...faultyReads, ...faultyCreations].find(([fault]) => fault === name) ?? []
    server.fault = fault
    const { status, stdout } = await verify([server.baseUrl, ...args])
    expect(status).toBe(1)
    const [contract = ''] = stdout.split('\nAdditions of this project')
    const failures = contract.matchAll(/^ {2}fails {2}(\S+) .*\n {9}[A-Z]+ \/\S*: expected /gm)
    expect(Array.from(failures, ([, id]) => id).join(' ')).toBe(ids)
  })
})

describe('a server that cannot be checked', () => {
  let server: ContractServer
  beforeAll(async () => {
    server = await startContract()
    return () => server.close()
  })
  /** Runs against a server with this fault. */
  const against = (fault: Fault | null, ...args: string[]) => {
    server.fault = fault
    return verify([server.baseUrl, ...args])
  }
  const answers =
    (status: number, headers: Record<string, string> = {}): Fault =>
    () => ({ status, body: '{}', headers })

  it.each<[string, Fault, RegExp]>([
    ['another path', answers(404), /There is no \/pets \(404\)\. Is BASE_URL .* ending in \/v1/],
    [
      'a redirect',
      answers(308, { location: 'https://pets.example.com/v1/pets' }),
      /redirects to https:\S+\. Use that/,
    ],
    ['a server that is not ready', answers(503), /not ready \(503\)/],
    ['a rate limit', answers(429, { 'retry-after': '3600' }), /asks to wait 3600 seconds/],
    ['a wrong key', answers(401), /401 to the key in PETSTORE_API_KEY/],
  ])('a server cannot be checked, and the error says what to do: %s', async (_, fault, message) => {
    expect(await against(fault)).toEqual({ status: 1, stdout: '', stderr: expect.stringMatching(message) })
  })

  it('a server cannot be checked with --write and a key that may not write, and the error says so', async () => {
    const { status, stderr } = await against(whenRequested(/^POST/, answers(403)), '--write')
    expect([status, stderr]).toEqual([1, expect.stringContaining('may not create pets (403)')])
  })

  it('a rate limit that passes is waited for, and the server is checked', async () => {
    let requests = 0
    const { status, stderr } = await against((answer, request) => {
      requests += 1
      return requests % 10 === 0 ? answers(429, { 'retry-after': '0' })(answer, request) : answer
    })
    expect([status, stderr]).toEqual([0, expect.stringContaining('limits the rate of requests: waiting 0 s')])
  })

  it.each(['-5', '0.5', 'soon', ''])(
    'a Retry-After that is no number of seconds is not waited for: %j',
    async (wait) => {
      server.fault = answers(429, { 'retry-after': wait })
      const request = { method: 'GET', path: '/v1/pets', headers: {} }
      const before = server.methods.length
      expect((await createSend(server.baseUrl)(request)).status).toBe(429)
      expect(server.methods.length - before).toBe(1)
    },
  )

  it.each<[string, () => string, RegExp]>([
    [
      'nothing that listens',
      () => 'http://127.0.0.1:1/v1',
      /127\.0\.0\.1:1 does not answer: connect ECONNREFUSED/,
    ],
    [
      'https where there is none',
      () => server.baseUrl.replace('http', 'https'),
      /does not answer: .*EPROTO|does not answer: .*SSL/,
    ],
  ])('an address that cannot be connected to is an error that says why: %s', async (_, baseUrl, message) => {
    const { status, stdout, stderr } = await verify([baseUrl()])
    expect([status, stdout, stderr]).toEqual([1, '', expect.stringMatching(message)])
  })

  it.skipIf(!hasOpenssl)(
    'a server whose certificate is not trusted is checked once NODE_EXTRA_CA_CERTS names it',
    { tags: 'slow' },
    async () => {
      const { certificate, key } = makeCertificate(directory, 'self-signed')
      const tls = https.createServer(
        { key: readFileSync(key), cert: readFileSync(certificate) },
        (request, response) => {
          server.handle(request, response)
        },
      )
      const port = await listenOnLoopback(tls)
      onTestFinished(() => void tls.close())
      server.fault = null
      const untrusted = await verify([`https://localhost:${port}/v1`])
      expect([untrusted.status, untrusted.stderr]).toEqual([
        1,
        expect.stringContaining('self-signed certificate'),
      ])
      const env = { PETSTORE_API_KEY: KEY, NODE_EXTRA_CA_CERTS: certificate }
      expect((await runVerify(env, `https://localhost:${port}/v1`)).status).toBe(0)
      const otherName = await runVerify(env, `https://127.0.0.1:${port}/v1`)
      expect([otherName.status, otherName.stderr]).toEqual([1, expect.stringContaining('does not match')])
    },
  )
})

it.each([
  [[], KEY, 'BASE_URL'],
  [['http://a/v1', 'more'], KEY, 'BASE_URL'],
  [['http://a/v1', '--all'], KEY, '--all'],
  [['http://a'], KEY, 'BASE_URL'],
  [['ftp://a/v1'], KEY, 'BASE_URL'],
  [['http://a/v1'], '', 'PETSTORE_API_KEY'],
  [['http://a/v1'], 'two words', 'PETSTORE_API_KEY'],
])('wrong usage exits with 2 and names what is wrong: %j, PETSTORE_API_KEY=%j', async (args, key, name) => {
  const { status, stdout, stderr } = await verify(args, key)
  expect([status, stdout]).toEqual([2, ''])
  const [problem, ...usage] = stderr.split('\n')
  expect(problem).toContain(name)
  expect(usage.join()).toContain('npm run verify -- ')
})
