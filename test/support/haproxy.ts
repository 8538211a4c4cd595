/** HAProxy with the configuration of deploy/haproxy.cfg, in front of servers of a test. */
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { hasOpenssl } from './certificate.ts'
import { eventually } from './eventually.ts'
import { findFreePort } from './free-port.ts'
import { ROOT, startCommand } from './process.ts'

export const hasHaproxy = hasOpenssl && spawnSync('haproxy', ['-v']).error === undefined
if (!hasHaproxy) console.warn('HAProxy is not tested: it, or openssl, is missing.')

export interface TestBalancer {
  /** Where it listens with TLS. */
  port: number
  /** The same without TLS, which only the tests have. */
  url: string
  /** Where it listens for http, which is not served. */
  httpPort: number
  /** The directory of its certificates. */
  certificates: string
  /** Makes it read its certificates again. */
  reload(): void
  /** Waits until it sends requests to this server, the first being 1, or until it does not. */
  until(server: number, state: 'UP' | 'DOWN'): Promise<void>
}

interface BalancerOptions {
  /** The domain of its certificate. */
  domain?: string
  /** Where certbot listens while it runs. */
  certbotPort?: number
}

/**
 * Without the retries of the configuration, which would hide lost requests, and with checks every 0.2 s instead of every second.
 * @param directory for its files
 * @param ports of its servers, two at most; where one is absent, nothing answers
 */
export async function startHaproxy(
  directory: string,
  ports: number[],
  { domain = 'localhost', certbotPort = 80 }: BalancerOptions = {},
): Promise<TestBalancer> {
  const [port, plainPort, httpPort, statistics] = await Promise.all([
    findFreePort(),
    findFreePort(),
    findFreePort(),
    findFreePort(),
  ])
  const certificates = makeSelfSigned(directory, domain)
  const text = readFileSync(join(ROOT, 'deploy', 'haproxy.cfg'), 'utf8')
    .replace('retries 3', 'retries 0')
    // What it offers in comments.
    .replaceAll(/# (.*noisy)/g, '$1')
    .replace('#     stick-table', '    stick-table')
    .replace('inter 1s', 'inter 200ms')
    // This header is not part of the contract, which the tests compare answers with.
    .replace('max-age=31536000', 'max-age=31536000 if { ssl_fc }')
    .replace('/etc/haproxy/certificates', certificates)
    .replace(/bind :443(.*)/, `bind 127.0.0.1:${port}$1\n    bind 127.0.0.1:${plainPort}`)
    .replace('bind :80', `bind 127.0.0.1:${httpPort}`)
    .replace('certbot:80', `127.0.0.1:${certbotPort}`)
    .replaceAll(/server-(\d):4000/g, (_, digit) => `127.0.0.1:${ports[Number(digit) - 1] ?? 1}`)
  const config = join(directory, 'haproxy.cfg')
  const page = `frontend statistics\n    bind 127.0.0.1:${statistics}\n    stats enable\n    stats uri /\n`
  writeFileSync(config, `${text}\n${page}`)
  // As its image starts it.
  const { child } = startCommand('haproxy', ['-W', '-db', '-f', config], { env: {} })
  const balancer: TestBalancer = {
    port,
    url: `http://127.0.0.1:${plainPort}`,
    httpPort,
    certificates,
    reload: () => void child.kill('SIGUSR2'),
    until: (server, state) =>
      eventually(async () => {
        const table = await (await fetch(`http://127.0.0.1:${statistics}/;csv`)).text()
        expect(table).toMatch(new RegExp(`^servers,server-${server},.*,${state},`, 'm'))
      }),
  }
  for (const index of ports.keys()) await balancer.until(index + 1, 'UP')
  return balancer
}

/** Runs what a deployment without a domain runs. @returns the directory of the certificate */
function makeSelfSigned(directory: string, domain: string): string {
  const certificates = join(directory, 'certificates')
  mkdirSync(certificates)
  const script = join(ROOT, 'deploy', 'tls', 'self-signed.sh')
  const env = { ...process.env, DOMAIN: domain }
  execFileSync('sh', [script], { cwd: certificates, env, stdio: 'ignore' })
  return certificates
}
