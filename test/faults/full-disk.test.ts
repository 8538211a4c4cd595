/** A disk that is full under the embedded database. It is a small tmpfs, which only root can mount. */
import { execFileSync } from 'node:child_process'
import { closeSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, it, onTestFinished } from 'vitest'
import { copyDataDirectory } from '../support/database.ts'
import { useDirectory } from '../support/directory.ts'
import { eventually } from '../support/eventually.ts'
import { connectKeepingAlive, endServers, report, startServer } from './server.ts'
import { findLost, startTraffic } from './traffic.ts'

const directory = useDirectory()
afterEach(endServers)

it('writes are answered with 503, reads go on, and writes resume when there is room again', async ({ skip }) => {
  const disk = join(directory, 'disk')
  const problem = mount(disk)
  if (problem) skip(`no small disk can be mounted here: ${problem}`)
  onTestFinished(() => void execFileSync('umount', ['--lazy', disk]))
  const env = { DATA_DIR: join(disk, 'data') }
  copyDataDirectory(env.DATA_DIR)
  const { url, client } = await startServer(env)
  const kept = connectKeepingAlive(url)
  const traffic = startTraffic(kept, { writers: 4, readers: 4 })
  await eventually(() => expect(traffic.created.size).toBeGreaterThan(100))

  fill(join(disk, 'ballast'))
  await eventually(() => expect(traffic.failed.get(503) ?? 0).toBeGreaterThan(20))
  expect((await client.send('/v1/pets')).status).toBe(200)
  expect((await client.graphql('{ pets { totalCount } }')).errors).toBeUndefined()

  rmSync(join(disk, 'ballast'))
  const before = traffic.created.size
  await eventually(() => expect(traffic.created.size).toBeGreaterThan(before + 100))
  await traffic.stop()
  expect(await findLost(client, traffic.created)).toEqual([])
  expect([...traffic.failed.keys()]).toEqual([503])
  report(
    `a full disk: ${traffic.created.size.toLocaleString('en')} creations acknowledged, 0 lost, ${traffic.failed.get(503)} answers 503`,
  )
})

/** @returns why it could not */
function mount(path: string): string | null {
  mkdirSync(path)
  if (process.platform !== 'linux') return 'this is not Linux'
  if (process.getuid?.() !== 0) return 'this user is not root'
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=96m', 'tmpfs', path], { stdio: 'pipe' })
    return null
  } catch (error) {
    return String(error)
  }
}

/** Writes until the disk has no room. */
function fill(path: string): void {
  const file = openSync(path, 'w')
  for (let size = 2 ** 20; size >= 1; ) {
    try {
      writeSync(file, Buffer.alloc(size))
    } catch {
      size = Math.floor(size / 2)
    }
  }
  closeSync(file)
}
