/** `petstore verify` against this server, a server that serves the contract alone, and servers that break it. */
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import https from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { createHttpClient } from '../../src/verify/http-client.ts'
import { verify as runClauses } from '../../src/verify/run.ts'
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
import { endPrograms, ROOT, startCommand, startProgram } from '../support/process.ts'
import { KEY } from '../support/service.ts'

interface Summary {
  holds: number
  fails: number
  skipped: number
}
interface Report {
  baseUrl: string
  holds: boolean
  contract: Summary
  additions: Summary
  clauses: { id: string; origin: string; says: string; outcome: string; reason?: string; request?: string }[]
  created: { id: string; name: string }[]
}

const directory = useDirectory()
if (!hasOpenssl) console.warn('TLS is not tested, since there is no openssl.')

/** Runs the command until it ends. */
async function verify(args: string[], env: Record<string, string> = {}) {
  const program = startProgram({ PETSTORE_API_KEY: KEY, ...env }, ['verify', ...args])
  // Not by lines: readline also splits at U+2028, which a name contains.
  let stdout = ''
  program.child.stdout?.setEncoding('utf8').on('data', (text: string) => (stdout += text))
  const status = await program.ended
  return { status, stdout, stderr: program.stderr.join('\n') }
}

/** @param status the expected exit status */
async function verifyJson(status: number, ...args: string[]): Promise<Report & { stderr: string }> {
  const result = await verify([...args, '--json'])
  expect([result.status, result.stderr]).toEqual([status, expect.any(String)])
  return { ...(JSON.parse(result.stdout) as Report), stderr: result.stderr }
}

async function startContract(pets = 30): Promise<ContractServer> {
  const server = await startContractServer(KEY)
  const statuses = ['available', 'pending', 'sold']
  for (let index = 0; index < pets; index += 1)
    create(server.pets, JSON.stringify({ name: `Pet ${index}`, categoryId: 1, status: statuses[index % 3] }))
  return server
}

describe.each(['the embedded database with demo pets', 'an empty Postgres'])('this server on %s', (kind) => {
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
    expect(stdout).toMatch(
      /\nContract: (\d+) of \1 checked clauses hold\.\nAdditions: (\d+) of \2 checked clauses hold\./,
    )
    expect(stdout).not.toContain('\u001B')
    expect(await countPets()).toBe(before)
  })

  it('a reader that goes away ends it, and it says so', async () => {
    const line = `set -o pipefail; ${process.execPath} ${join(ROOT, 'bin', 'petstore.js')} verify ${baseUrl} | head -n 1`
    const { ended, stderr } = startCommand('bash', ['-c', line], { env: { PETSTORE_API_KEY: KEY } })
    expect(await ended).toBe(1)
    expect(stderr).toEqual(['Cannot write to stdout: write EPIPE.'])
  })

  it('keeps those of createPet with --write, which says what pets it left', async () => {
    const report = await verifyJson(0, baseUrl, '--write')
    expect(report).toMatchObject({
      baseUrl,
      holds: true,
      contract: { fails: 0, skipped: 0 },
      additions: { fails: 0 },
    })
    expect(report.created).toHaveLength(9)
    const client = createClient(baseUrl, KEY)
    for (const { id, name } of report.created) {
      expect(name).toMatch(/^petstore verify/)
      expect((await client.send(`/v1/pets/${id}`)).json).toMatchObject({ id: Number(id), name })
      expect(report.stderr).toContain(id)
    }
    expect(report.stderr).toMatch(
      /^Some pets were created and remain. Their names begin with "petstore verify"; their ids: \d/,
    )
  })
})

describe('a server that serves the contract alone', () => {
  it('passes with more pets than a page has, by GET and HEAD alone', async () => {
    const pets = 150
    const server = await startContract(pets)
    onTestFinished(() => server.close())
    const { status, stdout } = await verify([server.baseUrl])
    expect(stdout).toMatch(/\nContract: (\d+) of \1 checked clauses hold\.\nAdditions: \d+ of 1\d\d checked/)
    expect(status).toBe(0)
    expect([new Set(server.methods), server.pets.size]).toEqual([new Set(['GET', 'HEAD']), pets])
  })

  it('passes without pets and with --write', async () => {
    const server = await startContract(0)
    onTestFinished(() => server.close())
    const report = await verifyJson(0, server.baseUrl, '--write')
    expect(report).toMatchObject({ holds: true, contract: { fails: 0, skipped: 0 } })
    expect(report.additions.fails).toBeGreaterThan(50)
    expect(new Set(server.methods)).toEqual(new Set(['GET', 'HEAD', 'POST']))
    expect(report.created.map(({ id }) => id)).toEqual([...server.pets.keys()])
    for (const { name } of report.created) expect(name).toMatch(/^petstore verify/)
  })
})

interface Row {
  fault: string
  ids: string[]
  breaks: Fault | null
  writes?: true
}

type Request = Parameters<Fault>[1]
const target = ({ method, url }: Request) => `${method} ${url.pathname}${url.search}`
/** Changes the answers to one request that have a status. */
const when =
  (request: string, status: number, change: (body: string) => string | ReturnType<Fault>): Fault =>
  (answer, asked) => {
    if (target(asked) !== request || answer.status !== status) return answer
    const changed = change(answer.body)
    return typeof changed === 'string' ? { ...answer, body: changed } : changed
  }
const whenAsked =
  (pattern: RegExp, fault: Fault): Fault =>
  (answer, asked) =>
    pattern.test(`${target(asked)} ${asked.body}`) ? fault(answer, asked) : answer
const pet = '{"id":1,"name":"Rex","categoryId":1}'
const manyPets = `[${Array.from({ length: 101 }, (_, id) => pet.replace('1', String(id))).join()}]`
const ok = (body: string) => () => ({ status: 200, body })
const created =
  (body = pet) =>
  () => ({ status: 201, body })
const round = (body: string) => body.replace(/\d{16,}/, (digits) => BigInt(Number(digits)).toString())

const correct: Row[] = [
  { fault: 'nothing', ids: [], breaks: null },
  { fault: 'nothing, with --write', ids: [], breaks: null, writes: true },
]

/** What is wrong, and the clauses of the contract that say so. */
const faults: Row[] = [
  {
    fault: 'an envelope',
    ids: ['LIST-01', 'LIST-02'],
    breaks: when('GET /v1/pets', 200, (body) => `{"pets":${body}}`),
  },
  {
    fault: '25 by default',
    ids: ['LIST-02'],
    breaks: whenAsked(/pets $/, (answer, { url: { pathname } }) =>
      pathname === '/v1/pets' && answer.status === 200 ? { ...answer, body: manyPets } : answer,
    ),
  },
  { fault: 'limit=1 ignored', ids: ['LIST-03'], breaks: when('GET /v1/pets?limit=1', 200, () => manyPets) },
  {
    fault: 'limit=100 fails',
    ids: ['LIST-04'],
    breaks: when('GET /v1/pets?limit=100', 200, () => error(500, 'x')),
  },
  { fault: 'a page of 101', ids: ['LIST-17'], breaks: when('GET /v1/pets?limit=101', 200, () => manyPets) },
  {
    fault: 'a status ignored',
    ids: ['LIST-09.2'],
    breaks: when('GET /v1/pets?limit=100&status=pending', 200, () => `[${pet}]`),
  },
  {
    fault: 'a status that misses one',
    ids: ['LIST-09.3'],
    breaks: when('GET /v1/pets?limit=100&status=sold', 200, (body) => body.replace(/\{.*?\},/, '')),
  },
  {
    fault: 'another name',
    ids: ['GET-01'],
    breaks: when('GET /v1/pets/30', 200, (body) => body.replace('Pet', 'pet')),
  },
  {
    fault: 'a categoryId that is a string',
    ids: ['GET-01'],
    breaks: when('GET /v1/pets/30', 200, (body) => body.replace('"categoryId":1', '"categoryId":"1"')),
  },
  {
    fault: 'no id',
    ids: ['GET-01'],
    breaks: when('GET /v1/pets/30', 200, (body) => body.replace('"id"', '"petId"')),
  },
  { fault: 'no JSON', ids: ['GET-01'], breaks: when('GET /v1/pets/30', 200, () => '<html>') },
  {
    fault: '500 for an unknown id',
    ids: ['GET-03'],
    breaks: when('GET /v1/pets/8999999999999999999', 404, () => error(500, 'x')),
  },
  {
    fault: 'an id that is rounded',
    ids: ['GET-05.3'],
    breaks: when('GET /v1/pets/9223372036854775807', 404, () => ok(pet)()),
  },
  {
    fault: 'a list without a key',
    ids: ['KEY-1.1'],
    breaks: whenAsked(/pets $/, (answer, { key }) => (key === '' ? ok('[]')() : answer)),
  },
  {
    fault: 'a pet for an unknown key',
    ids: ['KEY-3.2'],
    breaks: whenAsked(/pets\/30/, (answer, { key }) => (key === 'Bearer wrong' ? ok(pet)() : answer)),
  },
  {
    fault: 'the beginning of a key',
    ids: ['KEY-1.3'],
    breaks: whenAsked(/pets $/, (answer, { key, url: { pathname } }) =>
      pathname === '/v1/pets' && key === `Bearer ${KEY.slice(0, -1)}` ? ok('[]')() : answer,
    ),
  },
  {
    fault: 'an error whose status is no number',
    ids: ['GET-03'],
    breaks: when('GET /v1/pets/8999999999999999999', 404, (body) => body.replace('404', '"404"')),
  },
  {
    fault: 'an error without a code',
    ids: ['GET-03'],
    breaks: when('GET /v1/pets/8999999999999999999', 404, (body) => body.replace('"code"', '"error"')),
  },
  {
    fault: '200 for a creation',
    ids: ['CREATE-01'],
    breaks: whenAsked(/"sold"/, (answer) => (answer.status === 201 ? { ...answer, status: 200 } : answer)),
    writes: true,
  },
  {
    fault: 'rounded int64',
    ids: ['CREATE-24.1', 'CREATE-24.2'],
    breaks: whenAsked(/^POST/, (answer) => ({ ...answer, body: round(answer.body) })),
    writes: true,
  },
  {
    fault: 'a pet without a name',
    ids: ['CREATE-03'],
    breaks: whenAsked(/^POST \S+ \{"categoryId":1\}/, created()),
    writes: true,
  },
  { fault: 'an unknown status', ids: ['CREATE-08.3'], breaks: whenAsked(/"lost"/, created()), writes: true },
  {
    fault: 'a name changed',
    ids: ['CREATE-25', 'GET-09'],
    breaks: whenAsked(/Zoë/, (answer) => ({ ...answer, body: answer.body.replace('ë', 'e') })),
    writes: true,
  },
  {
    fault: 'a creation without a key',
    ids: ['KEY-2.1'],
    breaks: whenAsked(/^POST/, (answer, { key }) => (key === '' ? created()() : answer)),
    writes: true,
  },
  {
    fault: 'a created pet that is not found',
    ids: ['GET-01', 'GET-09'],
    breaks: whenAsked(/pets\/3[1-9]/, (answer) => (answer.status === 200 ? error(404, 'x') : answer)),
    writes: true,
  },
]

describe('a server that breaks the contract', () => {
  // In this process: starting one for each takes longer than all of them.
  it.each([...correct, ...faults])(
    'of the contract, the clauses $ids fail on a server with this fault: $fault',
    async ({ ids, breaks, writes = false }) => {
      const server = await startContract()
      onTestFinished(() => server.close())
      server.fault = breaks
      const client = createHttpClient(server.baseUrl, () => undefined)
      onTestFinished(client.close)
      const found: string[] = []
      const options = { send: client.send, key: KEY, writes, onCreated: () => undefined }
      for await (const { id, origin, outcome } of runClauses(options))
        if (origin === 'contract' && outcome === 'fails') found.push(id)
      expect(found).toEqual(ids)
    },
  )

  it.each([
    { args: [], ids: ['LIST-02'], fault: '25 by default' },
    { args: ['--write'], ids: ['CREATE-24.1', 'CREATE-24.2'], fault: 'rounded int64' },
  ])('makes the command exit with 1: $fault', async ({ args, ids, fault }) => {
    const server = await startContract()
    onTestFinished(() => server.close())
    server.fault = faults.find((row) => row.fault === fault)?.breaks ?? null
    const report = await verifyJson(1, server.baseUrl, ...args)
    const failures = report.clauses.filter(
      ({ origin, outcome }) => origin === 'contract' && outcome === 'fails',
    )
    expect([report.holds, failures.map(({ id }) => id)]).toEqual([false, ids])
    for (const { reason, request } of failures)
      expect([reason, request]).toEqual([
        expect.stringMatching(/^expected /),
        expect.stringMatching(/^[A-Z]+ \//),
      ])
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
    () => ({
      status,
      body: '{}',
      headers,
    })

  it.each<[string, Fault, RegExp]>([
    ['another path', answers(404), /There is no \/pets \(404\)\. Is <base-url> .* ending in \/v1/],
    [
      'a redirect',
      answers(308, { location: 'https://pets.example.com/v1/pets' }),
      /redirects to https:\S+\. Use that/,
    ],
    ['a server that is not ready', answers(503), /not ready \(503\)/],
    ['a rate limit', answers(429, { 'retry-after': '3600' }), /asks to wait 3600 seconds/],
  ])('a server cannot be checked, and the error says what to do: %s', async (_, fault, message) => {
    expect(await against(fault)).toEqual({ status: 1, stdout: '', stderr: expect.stringMatching(message) })
  })

  it('a server cannot be checked with a wrong key, and the error says so', async () => {
    server.fault = null
    const { status, stdout, stderr } = await verify([server.baseUrl], { PETSTORE_API_KEY: 'wrong' })
    expect([status, stdout, stderr]).toEqual([
      1,
      '',
      expect.stringContaining('401 to the key in PETSTORE_API_KEY'),
    ])
  })

  it('a server cannot be checked with --write and a key that may not write, and the error says so', async () => {
    const { status, stderr } = await against(whenAsked(/^POST/, answers(403)), '--write')
    expect([status, stderr]).toEqual([1, expect.stringContaining('may not create pets (403)')])
  })

  it('a rate limit that passes is waited for, and the server is checked', async () => {
    let asked = 0
    const { status, stderr } = await against((answer, request) => {
      asked += 1
      return asked % 10 === 0 ? answers(429, { 'retry-after': '0' })(answer, request) : answer
    })
    expect([status, stderr]).toEqual([0, expect.stringContaining('limits the rate of requests: waiting 0 s')])
  })

  it.each(['-5', '0.5', 'soon', ''])(
    'a Retry-After that is no number of seconds is not waited for: %j',
    async (wait) => {
      const { status, stderr } = await against(answers(429, { 'retry-after': wait }))
      expect([status, stderr]).toEqual([1, ''])
    },
  )

  it('a body without end is given up after 40 MiB', async () => {
    let written = 0
    const endless = createServer((_, response) => {
      const chunk = Buffer.alloc(2 ** 16, ' ')
      const write = () => {
        while (!response.destroyed && response.write(chunk)) written += chunk.length
        written += chunk.length
      }
      response.on('drain', write)
      write()
    })
    endless.listen(0, '127.0.0.1')
    await once(endless, 'listening')
    onTestFinished(() => void endless.close())
    const { port } = endless.address() as AddressInfo
    const { status, stdout, stderr } = await verify([`http://127.0.0.1:${port}/v1`])
    expect([status, stdout, stderr]).toEqual([1, '', `127.0.0.1:${port} sends a body of more than 40 MiB.`])
    expect(written).toBeLessThan(64 * 2 ** 20)
  })

  it.each<[string, () => string, RegExp]>([
    ['nothing that listens', () => 'http://127.0.0.1:1/v1', /ECONNREFUSED.*\nNothing is listening there/],
    ['https where there is none', () => server.baseUrl.replace('http', 'https'), /does not speak TLS/],
  ])('an address that cannot be connected to is an error that says why: %s', async (_, baseUrl, message) => {
    const { status, stdout, stderr } = await verify([baseUrl()])
    expect([status, stdout, stderr]).toEqual([1, '', expect.stringMatching(message)])
  })

  it.skipIf(!hasOpenssl)(
    'a server whose certificate is not trusted is checked once NODE_EXTRA_CA_CERTS names it',
    async () => {
      const { certificate, key } = makeCertificate(directory, 'self-signed')
      const tls = https.createServer(
        { key: readFileSync(key), cert: readFileSync(certificate) },
        (request, response) => {
          server.handle(request, response)
        },
      )
      await new Promise<void>((resolve) => tls.listen(0, '127.0.0.1', resolve))
      onTestFinished(() => void tls.close())
      server.fault = null
      const port = String((tls.address() as AddressInfo).port)
      const untrusted = await verify([`https://localhost:${port}/v1`])
      expect([untrusted.status, untrusted.stderr]).toEqual([
        1,
        expect.stringContaining('NODE_EXTRA_CA_CERTS'),
      ])
      const env = { NODE_EXTRA_CA_CERTS: certificate }
      expect((await verify([`https://localhost:${port}/v1`], env)).status).toBe(0)
      const otherName = await verify([`https://127.0.0.1:${port}/v1`], env)
      expect([otherName.status, otherName.stderr]).toEqual([1, expect.stringContaining('for another name')])
    },
  )
})

it.each<[string[], Record<string, string>]>([
  [[], {}],
  [['http://127.0.0.1:1/v1', 'more'], {}],
  [['http://127.0.0.1:1/v1', '--all'], {}],
  [['http://127.0.0.1:1'], {}],
  [['http://127.0.0.1:1/v1/pets'], {}],
  [['ftp://127.0.0.1/v1'], {}],
  [['http://127.0.0.1:1/v1'], { PETSTORE_API_KEY: '' }],
  [['http://127.0.0.1:1/v1'], { PETSTORE_API_KEY: 'two words' }],
])('wrong usage of petstore verify exits with 2: %j %j', async (args, env) => {
  const { status, stdout, stderr } = await verify(args, env)
  expect([status, stdout, stderr]).toEqual([2, '', expect.stringMatching(/^error: /)])
})

it('petstore verify --help has examples', async () => {
  const { status, stdout } = await verify(['--help'])
  expect([status, stdout]).toEqual([
    0,
    expect.stringMatching(/^Usage: petstore verify .*\nExamples:\n {2}\S/s),
  ])
})
