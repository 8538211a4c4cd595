/** The scripts of deploy/tls, with HAProxy, certbot, and Pebble in the place of Let's Encrypt. */
import { execFile, spawnSync } from 'node:child_process'
import { mkdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { connect } from 'node:tls'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeCertificate } from '../support/certificate.ts'
import { useDirectory } from '../support/directory.ts'
import { eventually } from '../support/eventually.ts'
import { findFreePort } from '../support/free-port.ts'
import { hasHaproxy, startHaproxy, type TestBalancer } from '../support/haproxy.ts'
import { endPrograms, ROOT, startCommand } from '../support/process.ts'

const DOMAIN = 'pets.example.com'
const missing = ['certbot', 'pebble', 'pebble-challtestsrv'].filter((name) => spawnSync(name, ['-h']).error)
if (process.getuid?.() !== 0) missing.push('the user root')
if (missing.length > 0) console.warn(`Certificates are not tested: ${missing.join(', ')} missing.`)

const directory = useDirectory()

describe.skipIf(!hasHaproxy || missing.length > 0)('the certificate of HAProxy', () => {
  let balancer: TestBalancer
  let runCertbot: () => Promise<string>
  beforeAll(async () => {
    const certbotPort = await findFreePort()
    balancer = await startHaproxy(directory, [], { domain: DOMAIN, certbotPort })
    const authority = await startAuthority(balancer.httpPort)
    runCertbot = () => getFrom(authority, { certificates: balancer.certificates, port: certbotPort })
  })
  afterAll(endPrograms)

  it('the certificate is self-signed at first', async () => {
    expect(await eventually(() => findIssuer(balancer.port))).toBe(DOMAIN)
    expectPrivateKey()
  })

  it('the certificate comes from an ACME server after tls/letsencrypt.sh and a reload, and is renewed only when it ends soon', async () => {
    expect(await runCertbot()).toContain('Successfully received certificate')
    balancer.reload()
    await eventually(async () => expect(await findIssuer(balancer.port)).toMatch(/^Pebble Intermediate/))
    expectPrivateKey()
    expect(await runCertbot()).toContain('not yet due for renewal')
  })

  function expectPrivateKey(): void {
    expect(statSync(join(balancer.certificates, `${DOMAIN}.pem.key`)).mode & 0o777).toBe(0o600)
  }
})

/** @returns the common name of the issuer of the certificate at this port */
function findIssuer(port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, servername: DOMAIN, rejectUnauthorized: false }, () => {
      resolve(String(socket.getPeerCertificate().issuer.CN))
      socket.destroy()
    })
    socket.once('error', reject)
  })
}

interface Authority {
  /** Where an ACME client begins. */
  url: string
  /** The file of the certificate that it has itself. */
  certificate: string
}

/** Pebble, for which every domain is this machine. @param httpPort where it looks for the answers to its challenges */
async function startAuthority(httpPort: number): Promise<Authority> {
  const cwd = join(directory, 'pebble')
  mkdirSync(cwd)
  const [acme, management, dns, dnsManagement] = await Promise.all(Array.from({ length: 4 }, findFreePort))
  const { certificate, key } = makeCertificate(cwd, 'pebble', { host: 'IP:127.0.0.1' })
  const pebble = {
    listenAddress: `127.0.0.1:${acme}`,
    managementListenAddress: `127.0.0.1:${management}`,
    certificate,
    privateKey: key,
    httpPort,
  }
  writeFileSync(join(cwd, 'pebble.json'), JSON.stringify({ pebble }))
  const off = ['-http01', '', '-https01', '', '-tlsalpn01', '', '-defaultIPv6', '']
  const listen = ['-dns01', `127.0.0.1:${dns}`, '-management', `127.0.0.1:${dnsManagement}`]
  startCommand('pebble-challtestsrv', [...off, ...listen], { env: {} })
  const arguments_ = ['-config', 'pebble.json', '-dnsserver', `127.0.0.1:${dns}`]
  const { stdout } = startCommand('pebble', arguments_, {
    cwd,
    env: { PEBBLE_VA_NOSLEEP: '1', PEBBLE_WFE_NONCEREJECT: '0' },
  })
  await eventually(() => expect(stdout.join('\n')).toContain('ACME directory available'))
  return { url: `https://127.0.0.1:${acme}/dir`, certificate }
}

/** Runs tls/letsencrypt.sh. @returns what it prints */
async function getFrom(
  authority: Authority,
  { certificates, port }: { certificates: string; port: number },
): Promise<string> {
  const directories = ['--work-dir', directory, '--logs-dir', directory]
  const options = ['--server', authority.url, '--http-01-port', String(port), ...directories]
  const env = {
    ...process.env,
    DOMAIN,
    LETSENCRYPT: join(directory, 'letsencrypt'),
    CERTIFICATES: certificates,
    REQUESTS_CA_BUNDLE: authority.certificate,
  }
  const script = join(ROOT, 'deploy', 'tls', 'letsencrypt.sh')
  const { stdout } = await promisify(execFile)('sh', [script, ...options], { env })
  return stdout
}
