/** A full disk under the embedded database: a small tmpfs, which only root can mount. */
import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterEach, expect, it, onTestFinished } from 'vitest'
import { copyDataDirectory } from '../support/database.ts'
import { useDirectory } from '../support/directory.ts'
import { eventually } from '../support/eventually.ts'
import { connectKeepingAlive, endServersAfter, startServer } from './server.ts'
import { findLost, startTraffic } from './traffic.ts'

const directory = useDirectory()
endServersAfter(afterEach)

/** A name of the maximum length, so that the log grows fast. */
const newLongName = () => randomBytes(500).toString('hex')

it.for([
  // The file of a table cannot grow.
  { space: 0, of: 'for a table', newName: () => crypto.randomUUID() },
  // There is space for tables, but not for the next file of the log (WAL), without which Postgres cannot continue.
  { space: 14 * 2 ** 20, of: 'for the log', newName: newLongName },
])(
  'without free space $of, requests are answered with 503, and succeed when there is space again',
  async (row, { skip }) => {
    const disk = mkdtempSync(join(directory, 'disk-'))
    const problem = mount(disk)
    if (problem) skip(`no small disk can be mounted here: ${problem}`)
    onTestFinished(() => void execFileSync('umount', ['--lazy', disk]))
    const env = { DATA_DIR: join(disk, 'data') }
    copyDataDirectory(env.DATA_DIR)
    const { url, client } = await startServer(env)
    const traffic = startTraffic(connectKeepingAlive(url), { writers: 4, readers: 4, newName: row.newName })
    await eventually(() => expect(traffic.created.size).toBeGreaterThan(20))

    fill(join(disk, 'ballast'), row.space)
    await eventually(() => expect(traffic.failed.get(503) ?? 0).toBeGreaterThan(20))

    rmSync(join(disk, 'ballast'))
    const before = traffic.created.size
    await eventually(() => expect(traffic.created.size).toBeGreaterThan(before + 20))
    await traffic.stop()
    expect(await findLost(client, traffic.created)).toEqual([])
    expect([...traffic.failed.keys()]).toEqual([503])
  },
)

/** Mounts the tmpfs. @returns the reason if that is impossible */
function mount(path: string): string | null {
  if (process.platform !== 'linux') return 'this is not Linux'
  if (process.getuid?.() !== 0) return 'this user is not root'
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=128m', 'tmpfs', path], { stdio: 'pipe' })
    return null
  } catch (error) {
    return String(error)
  }
}

/** Fills the disk except for this many bytes. */
function fill(path: string, space: number): void {
  const { bavail, bsize } = statfsSync(dirname(path))
  writeFileSync(path, Buffer.alloc(bavail * bsize - space))
}
