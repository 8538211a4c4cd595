/** HAProxy with the configuration of deploy/haproxy.cfg, in front of servers of a test. */
import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { eventually } from './eventually.ts'
import { findFreePort } from './free-port.ts'
import { ROOT, startCommand } from './process.ts'

const missing = ['haproxy', 'openssl'].filter((name) => spawnSync(name, ['-v']).error)
if (missing.length > 0) console.warn(`HAProxy is not tested: ${missing.join(' and ')} is missing.`)
export const hasHaproxy = missing.length === 0

export interface TestBalancer {
  /** Where it listens with TLS. */
  port: number
  /** The same without TLS. */
  url: string
  /** Waits until it sends requests to this server, the first being 1, or until it does not. */
  until(server: number, state: 'UP' | 'DOWN'): Promise<void>
}

/**
 * Without the retries of the configuration, which would hide lost requests, and with checks every 0.2 s instead of every second.
 * @param directory for its files
 * @param ports of two servers
 */
export async function startHaproxy(directory: string, ports: number[]): Promise<TestBalancer> {
  const [port, plainPort, statistics] = await Promise.all([findFreePort(), findFreePort(), findFreePort()])
  const text = readFileSync(join(ROOT, 'deploy', 'haproxy.cfg'), 'utf8')
    .replace('retries 3', 'retries 0')
    .replace('inter 1s', 'inter 200ms')
    // Of the contract, which the tests compare answers with, this header is no part.
    .replace('max-age=31536000', 'max-age=31536000 if { ssl_fc }')
    .replace('/etc/haproxy/pets.pem', makeCertificate(directory))
    .replace(/bind :443(.*)/, `bind 127.0.0.1:${port}$1\n    bind 127.0.0.1:${plainPort}`)
    .replaceAll(/10\.0\.0\.1(\d):4000/g, (_, digit) => `127.0.0.1:${ports[Number(digit) - 1]}`)
  const config = join(directory, 'haproxy.cfg')
  const page = `frontend statistics\n    bind 127.0.0.1:${statistics}\n    stats enable\n    stats uri /\n`
  writeFileSync(config, `${text}\n${page}`)
  startCommand('haproxy', ['-f', config], { env: {} })
  const balancer: TestBalancer = {
    port,
    url: `http://127.0.0.1:${plainPort}`,
    until: (server, state) =>
      eventually(async () => {
        const table = await (await fetch(`http://127.0.0.1:${statistics}/;csv`)).text()
        expect(table).toMatch(new RegExp(`^servers,server-${server},.*,${state},`, 'm'))
      }),
  }
  for (const index of ports.keys()) await balancer.until(index + 1, 'UP')
  return balancer
}

/** @returns the path of a file with the key and the certificate */
function makeCertificate(directory: string): string {
  const [key, certificate] = [join(directory, 'key.pem'), join(directory, 'certificate.pem')]
  const options = '-x509 -newkey rsa:2048 -nodes -days 1 -subj /CN=localhost'.split(' ')
  execFileSync('openssl', ['req', ...options, '-keyout', key, '-out', certificate], { stdio: 'ignore' })
  const both = join(directory, 'pets.pem')
  writeFileSync(both, [key, certificate].map((file) => readFileSync(file, 'utf8')).join(''))
  return both
}
