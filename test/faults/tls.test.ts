/** Connections to Postgres over TLS, with certificates of a private authority. */
import { chmodSync, existsSync, mkdtempSync, readdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import postgres from 'postgres'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { hasOpenssl, makeCertificate } from '../support/certificate.ts'
import { useDirectory } from '../support/directory.ts'
import { eventually } from '../support/eventually.ts'
import { giveToPostgres, startPostgres, type TestPostgres } from '../support/postgres.ts'
import { ROOT, startCommand, waitLines } from '../support/process.ts'
import { expectUnavailable } from './expect-unavailable.ts'
import { connect, endServersAfter, report, startServer, startUnready } from './server.ts'

const directory = useDirectory()
endServersAfter(afterEach)

if (!hasOpenssl) report('TLS to Postgres is not tested, since there is no openssl')

/** The PostgreSQL from npm, and Debian's. */
const versions = [{ name: 'of npm' }, ...findDebians()]

describe.skipIf(!hasOpenssl).each(versions)('over TLS to the PostgreSQL $name', ({ bin }) => {
  const servers: Record<string, TestPostgres> = {}
  beforeAll(async () => {
    const authority = makeCertificate(directory, 'ca')
    giveToPostgres(directory)
    for (const [name, options] of Object.entries({
      valid: {},
      expired: { days: -1 },
      foreign: { host: 'DNS:elsewhere.example' },
    })) {
      const { certificate, key } = makeCertificate(directory, name, { ...options, authority })
      chmodSync(key, 0o600)
      giveToPostgres(key)
      const files = { ssl_cert_file: certificate, ssl_key_file: key }
      servers[name] = await startPostgres({ fsync: 'off', ssl: 'on', ...files }, bin)
    }
  })
  afterAll(async () => {
    for (const server of Object.values(servers)) await server.remove()
  })

  /** @param mode libpq's sslmode */
  const urlOf = (certificate: string, mode = 'verify-full') => {
    const url = new URL(servers[certificate]?.url ?? '')
    url.hostname = 'localhost'
    url.searchParams.set('sslmode', mode)
    return url.href
  }
  const authority = join(directory, 'ca.crt')
  const trusted = { NODE_EXTRA_CA_CERTS: authority }
  /** With these options, the program does not restart itself. If it did, Node would find what it has read from a file. */
  const complete = ['--max-semi-space-size=16', '--disable-sigusr1']

  it.each<[string, () => Partial<Start>]>([
    ['NODE_EXTRA_CA_CERTS names its authority', () => ({ env: trusted })],
    [
      'NODE_EXTRA_CA_CERTS does so in a file that Node reads',
      () => ({ nodeOptions: [...complete, `--env-file=${writeVariables('variables', trusted)}`] }),
    ],
    [
      'NODE_EXTRA_CA_CERTS does so in .env',
      () => ({ within: ['env', '--chdir', dirname(writeVariables('.env', trusted))] }),
    ],
    ['sslrootcert does so', () => ({ url: `${urlOf('valid')}&sslrootcert=${authority}` })],
    [
      'sslrootcert does so, without sslmode',
      () => ({ url: urlOf('valid').replace(/sslmode=.*/, `sslrootcert=${authority}`) }),
    ],
    [
      'sslrootcert does so for sslmode=require, which compares no names',
      () => ({ url: `${urlOf('foreign', 'require')}&sslrootcert=${authority}` }),
    ],
  ])('the server and the commands can use it if %s', async (_, choose) => {
    const { env = {}, nodeOptions, within, url: DATABASE_URL = urlOf('valid') } = choose()
    const start = { env: { ...env, DATABASE_URL }, nodeOptions, within }
    const { ended, stderr } = startKeysList(start)
    expect([await ended, stderr]).toEqual([0, [expect.stringContaining('no keys')]])
    const { client } = await startServer(start.env, nodeOptions, within)
    expect((await client.createPet({ name: 'Rex', categoryId: 1 })).status).toBe(201)
    expect((await client.send('/v1/pets?limit=1')).json).toMatchObject([{ name: 'Rex' }])
    const sql = postgres(DATABASE_URL.replace(/[?].*/, '?sslmode=require'), { max: 1 })
    const connections = await sql`
      select distinct ssl from pg_stat_ssl join pg_stat_activity using (pid)
      where application_name = 'pet-store'`
    await sql.end()
    expect(connections).toEqual([{ ssl: true }])
  })

  it.each([
    [
      'an authority that is not trusted',
      'valid',
      'localhost',
      {},
      /^(SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_\w+)$/,
    ],
    ['a certificate that has expired', 'expired', 'localhost', trusted, /^CERT_HAS_EXPIRED$/],
    [
      'a certificate for another host',
      'foreign',
      'localhost',
      trusted,
      /^ERR_TLS_CERT_ALTNAME_INVALID: .*localhost.*elsewhere/,
    ],
    // A client that takes the name only from the socket would compare nothing, or "localhost".
    [
      'a certificate without the address',
      'valid',
      '127.0.0.1',
      trusted,
      /^ERR_TLS_CERT_ALTNAME_INVALID: .*127\.0\.0\.1/,
    ],
  ])('%s: requests are answered with 503, and the log says why', async (_, certificate, host, env, cause) => {
    const url = urlOf(certificate).replace('localhost', host)
    const program = startUnready({ ...env, DATABASE_URL: url })
    const client = connect(await program.listening)
    await eventually(() =>
      expect(waitLines(program)).toMatchObject([{ cause: expect.stringMatching(cause) }]),
    )
    await expectUnavailable(client)
  })
})

/** How a program is started. */
interface Start {
  env: Record<string, string>
  nodeOptions?: string[] | undefined
  /** A command that runs another one. */
  within?: string[] | undefined
  url: string
}

function startKeysList({ env, nodeOptions = [], within = [] }: Omit<Start, 'url'>) {
  const program = join(ROOT, 'bin', 'petstore.js')
  const [command, ...args] = [...within, process.execPath, ...nodeOptions, program, 'keys', 'list']
  return startCommand(command, args, { env })
}

/** Writes variables to a file in a new directory. @returns its path */
function writeVariables(name: string, variables: Record<string, string>): string {
  const path = join(mkdtempSync(join(directory, 'variables-')), name)
  writeFileSync(
    path,
    Object.entries(variables)
      .map(([key, value]) => `${key}=${value}\n`)
      .join(''),
  )
  return path
}

function findDebians(): { name: string; bin?: string }[] {
  const root = '/usr/lib/postgresql'
  const [newest] = existsSync(root) ? readdirSync(root).sort().reverse() : []
  if (newest !== undefined) return [{ name: `${newest} of Debian`, bin: join(root, newest, 'bin') }]
  report(`TLS to Debian's PostgreSQL is not tested, since there is none in ${root}`)
  return []
}
