/** Connections to Postgres over TLS, with certificates of a private authority. */
import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import postgres from 'postgres'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { useDirectory } from '../support/directory.ts'
import { eventually } from '../support/eventually.ts'
import { giveToPostgres, startPostgres, type TestPostgres } from '../support/postgres.ts'
import { logLines } from '../support/process.ts'
import { expectUnavailable } from './expect-unavailable.ts'
import { connect, endServersAfter, report, startServer, startUnready } from './server.ts'

const directory = useDirectory()
const pathOf = (file: string) => join(directory, file)
endServersAfter(afterEach)

const hasOpenssl = canRun('openssl', 'version')
if (!hasOpenssl) report('TLS to Postgres is not tested, since there is no openssl')

/** The PostgreSQL from npm, and Debian's. */
const versions = [{ name: 'of npm' }, ...findDebians()]

describe.skipIf(!hasOpenssl).each(versions)('over TLS to the PostgreSQL $name', ({ bin }) => {
  const servers: Record<string, TestPostgres> = {}
  beforeAll(async () => {
    makeAuthority()
    makeCertificate('valid', 'localhost', 2)
    makeCertificate('expired', 'localhost', -1)
    makeCertificate('foreign', 'elsewhere.example', 2)
    for (const name of ['valid', 'expired', 'foreign']) {
      const files = { ssl_cert_file: pathOf(`${name}.crt`), ssl_key_file: pathOf(`${name}.key`) }
      servers[name] = await startPostgres({ fsync: 'off', ssl: 'on', ...files }, bin)
    }
  })
  afterAll(async () => {
    for (const server of Object.values(servers)) await server.remove()
  })

  /** @param mode what libpq calls sslmode */
  const urlOf = (certificate: string, mode = 'verify-full') => {
    const url = new URL(servers[certificate]?.url ?? '')
    url.hostname = 'localhost'
    url.searchParams.set('sslmode', mode)
    return url.href
  }
  const trusted = { NODE_EXTRA_CA_CERTS: pathOf('ca.crt') }

  it('pets are created and listed if NODE_EXTRA_CA_CERTS names the authority', async () => {
    const { client } = await startServer({ ...trusted, DATABASE_URL: urlOf('valid') })
    expect((await client.createPet({ name: 'Rex', categoryId: 1 })).status).toBe(201)
    expect((await client.send('/v1/pets')).json).toMatchObject([{ name: 'Rex' }])
    const sql = postgres(urlOf('valid', 'require'), { max: 1 })
    const connections = await sql`
      select distinct ssl from pg_stat_ssl join pg_stat_activity using (pid)
      where application_name = 'pet-store'`
    await sql.end()
    expect(connections).toEqual([{ ssl: true }])
  })

  // A client that takes the name from the socket alone would compare nothing, or "localhost".
  it('an address instead of a name is compared with the certificate, too', async () => {
    const url = new URL(urlOf('valid'))
    url.hostname = '127.0.0.1'
    const program = startUnready({ ...trusted, DATABASE_URL: url.href })
    await program.listening
    await eventually(() =>
      expect(logLines(program, 'waiting for the database')).toMatchObject([
        { cause: 'ERR_TLS_CERT_ALTNAME_INVALID' },
      ]),
    )
  })

  it.each([
    ['an authority that is not trusted', 'valid', {}, /^(SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_\w+)$/],
    ['a certificate that has expired', 'expired', trusted, /^CERT_HAS_EXPIRED$/],
    ['a certificate of another host', 'foreign', trusted, /^ERR_TLS_CERT_ALTNAME_INVALID$/],
  ])('%s: requests are answered with 503, and the log says why', async (_, certificate, env, cause) => {
    const program = startUnready({ ...env, DATABASE_URL: urlOf(certificate) })
    const client = connect(await program.listening)
    const causes = await eventually(() => {
      const lines = logLines(program, 'waiting for the database')
      expect(lines).not.toEqual([])
      return lines.map((line) => line.cause)
    })
    expect(causes).toEqual([expect.stringMatching(cause)])
    await expectUnavailable(client)
    report(`TLS: ${certificate} certificate: 503, ${String(causes[0])}`)
  })
})

function openssl(...args: string[]): void {
  execFileSync('openssl', args, { cwd: directory, stdio: 'pipe' })
}

const NEW_KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']

function makeAuthority(): void {
  openssl(
    'req',
    '-x509',
    ...NEW_KEY,
    '-keyout',
    'ca.key',
    '-out',
    'ca.crt',
    '-subj',
    '/CN=Test',
    '-days',
    '2',
  )
}

/** @param days from now until it expires */
function makeCertificate(name: string, host: string, days: number): void {
  const [key, request, certificate] = [`${name}.key`, `${name}.csr`, `${name}.crt`]
  const subject = ['-subj', `/CN=${host}`, '-addext', `subjectAltName=DNS:${host}`]
  openssl('req', '-new', ...NEW_KEY, '-keyout', key, '-out', request, ...subject)
  const authority = ['-CA', 'ca.crt', '-CAkey', 'ca.key', '-CAcreateserial', '-copy_extensions', 'copy']
  openssl('x509', '-req', '-in', request, ...authority, '-days', String(days), '-out', certificate)
  chmodSync(pathOf(key), 0o600)
  giveToPostgres(pathOf(key))
  giveToPostgres(directory)
}

function findDebians(): { name: string; bin?: string }[] {
  const root = '/usr/lib/postgresql'
  const [newest] = existsSync(root) ? readdirSync(root).sort().reverse() : []
  if (newest !== undefined) return [{ name: `${newest} of Debian`, bin: join(root, newest, 'bin') }]
  report(`TLS to Debian's PostgreSQL is not tested, since there is none in ${root}`)
  return []
}

function canRun(command: string, ...args: string[]): boolean {
  try {
    execFileSync(command, args, { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}
