/** Connections to Postgres over TLS, with certificates of a private authority. */
import { chmodSync, existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import postgres from 'postgres'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { hasOpenssl, makeCertificate } from '../support/certificate.ts'
import { useDirectory } from '../support/directory.ts'
import { eventually } from '../support/eventually.ts'
import { giveToPostgres, startPostgres, type TestPostgres } from '../support/postgres.ts'
import { waitLines } from '../support/process.ts'
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
  const trusted = { NODE_EXTRA_CA_CERTS: join(directory, 'ca.crt') }

  it('pets are created and listed if NODE_EXTRA_CA_CERTS contains the authority', async () => {
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

  it.each([
    [
      'an authority that is not trusted',
      'valid',
      'localhost',
      {},
      /^(SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_\w+)$/,
    ],
    ['a certificate that has expired', 'expired', 'localhost', trusted, /^CERT_HAS_EXPIRED$/],
    ['a certificate for another host', 'foreign', 'localhost', trusted, /^ERR_TLS_CERT_ALTNAME_INVALID$/],
    // A client that takes the name only from the socket would compare nothing, or "localhost".
    ['a certificate without the address', 'valid', '127.0.0.1', trusted, /^ERR_TLS_CERT_ALTNAME_INVALID$/],
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

function findDebians(): { name: string; bin?: string }[] {
  const root = '/usr/lib/postgresql'
  const [newest] = existsSync(root) ? readdirSync(root).sort().reverse() : []
  if (newest !== undefined) return [{ name: `${newest} of Debian`, bin: join(root, newest, 'bin') }]
  report(`TLS to Debian's PostgreSQL is not tested, since there is none in ${root}`)
  return []
}
