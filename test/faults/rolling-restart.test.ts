/** Two servers behind a balancer, Debian's HAProxy, that are restarted one after the other: no client notices. */
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, it, onTestFinished } from 'vitest'
import { createPostgresDatabase } from '../support/database.ts'
import { useDirectory } from '../support/directory.ts'
import { eventually } from '../support/eventually.ts'
import { findFreePort } from '../support/free-port.ts'
import { startCommand } from '../support/process.ts'
import { connectKeepingAlive, endServersAfter, print, report, startServer } from './server.ts'
import { findLost, startTraffic } from './traffic.ts'

const HAPROXY = '/usr/sbin/haproxy'
const RESTARTS = 3

const directory = useDirectory()
endServersAfter(afterEach)

it.skipIf(isMissing(HAPROXY))(
  'each of two servers is restarted three times, and no request fails',
  async () => {
    const database = await createPostgresDatabase()
    onTestFinished(() => database.remove())
    const start = (port: number) => startServer({ ...database.env, PORT: String(port), SHUTDOWN_DELAY: '2' })
    const ports = [await findFreePort(), await findFreePort()]
    const servers = new Map<number, Awaited<ReturnType<typeof start>>>()
    for (const port of ports) servers.set(port, await start(port))
    const balancer = await startBalancer(ports)

    const traffic = startTraffic(connectKeepingAlive(balancer.url), { writers: 4, readers: 4 })
    for (const port of Array.from({ length: RESTARTS }, () => ports).flat()) {
      const { program } = servers.get(port) ?? {}
      program?.child.kill('SIGTERM')
      expect(await program?.ended).toBe(0)
      servers.set(port, await start(port))
      await balancer.untilUp()
    }
    await traffic.stop()

    expect(Object.fromEntries(traffic.failed)).toEqual({})
    expect(traffic.created.size).toBeGreaterThan(1_000)
    expect(await findLost(connectKeepingAlive(balancer.url), traffic.created)).toEqual([])
    report(
      `${2 * RESTARTS} restarts behind HAProxy: ${print(traffic.succeeded)} requests succeeded, 0 failed, ` +
        `${print(traffic.created.size)} creations acknowledged, 0 lost`,
    )
  },
)

/** Keeps connections to the servers, and never retries: a failure that it hid would be seen behind another balancer. */
async function startBalancer(ports: number[]): Promise<{ url: string; untilUp: () => Promise<void> }> {
  const [port, statistics] = [await findFreePort(), await findFreePort()]
  const file = join(directory, 'haproxy.cfg')
  writeFileSync(
    file,
    `
global
  maxconn 200
defaults
  mode http
  timeout connect 2s
  timeout client 20s
  timeout server 20s
  timeout check 1s
  option http-keep-alive
  retries 0
frontend pets
  bind 127.0.0.1:${port}
  default_backend servers
backend servers
  option httpchk GET /readyz
  http-check expect status 200
  default-server check inter 200ms fall 1 rise 1
${ports.map((each) => `  server s${each} 127.0.0.1:${each}`).join('\n')}
frontend statistics
  bind 127.0.0.1:${statistics}
  stats enable
  stats uri /
`,
  )
  startCommand(HAPROXY, ['-db', '-f', file], { env: {} })
  const untilUp = () =>
    eventually(async () => {
      const table = await (await fetch(`http://127.0.0.1:${statistics}/;csv`)).text()
      for (const each of ports) expect(table).toMatch(new RegExp(`^servers,s${each},.*,UP,`, 'm'))
    })
  await untilUp()
  return { url: `http://127.0.0.1:${port}`, untilUp }
}

function isMissing(program: string): boolean {
  const isMissing = !existsSync(program)
  if (isMissing) console.log(`faults: no rolling restart is tested, since there is no ${program}`)
  return isMissing
}
