/** compose.yaml and deploy/haproxy.cfg belong together; no Docker engine runs them here. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { parse } from 'yaml'
import { ROOT } from '../support/process.ts'

interface Service {
  image: string
  build?: string
  pull_policy?: string
  ports?: string[]
  environment?: Record<string, string>
  networks?: string[]
  volumes?: string[]
}

const compose = parse(readFileSync(join(ROOT, 'compose.yaml'), 'utf8'), { merge: true }) as {
  services: Record<string, Service>
}
const haproxy = readFileSync(join(ROOT, 'deploy', 'haproxy.cfg'), 'utf8')
const { proxy, ...others } = compose.services

it('each server of HAProxy is a service in its network, which trusts it', () => {
  const servers = Array.from(haproxy.matchAll(/^ {4}server (\S+) (\S+):(\d+)/gm), ([, name, host]) => [
    name,
    host,
  ])
  expect(servers).toEqual(['certbot', 'server-1', 'server-2'].map((name) => [name, name]))
  for (const [name = ''] of servers) expect(others[name]?.networks, name).toContain('proxy')
  for (const name of ['server-1', 'server-2'])
    expect(others[name]?.environment).toMatchObject({ TRUST_PROXY: '10.213.71.0/24', SHUTDOWN_DELAY: '5' })
})

it('one service builds our image, and the others wait for it and never pull it', () => {
  const ours = Object.values(compose.services).filter(({ image }) => image === 'pet-store')
  expect(ours.filter(({ build }) => build !== undefined)).toEqual([compose.services.migrate])
  const users = ours.filter((service) => service !== compose.services.migrate)
  expect(users).toHaveLength(2)
  for (const user of users) expect(user).toMatchObject({ pull_policy: 'never', depends_on: { migrate: {} } })
})

it('clients keep their addresses: ports are published on IPv4 only, as the network is, and none of a server', () => {
  const published = Object.values(compose.services).flatMap(({ ports = [] }) => ports)
  expect(published).toEqual(proxy?.ports)
  expect(published.filter((port) => !port.startsWith('0.0.0.0:'))).toEqual([])
})

it('the certificates are where HAProxy looks for them', () => {
  const [, directory] = / ssl crt (\S+)/.exec(haproxy) ?? []
  expect(proxy?.volumes).toContain(`certificates:${directory}:ro`)
})

it('the files that the services use exist', () => {
  const files = Object.values(compose.services)
    .flatMap(({ volumes = [] }) => volumes)
    .flatMap((volume) => /^\.\/([^:]+)/.exec(volume)?.[1] ?? [])
  expect(files).not.toEqual([])
  expect(files.filter((file) => !existsSync(join(ROOT, file)))).toEqual([])
})
