/** Where the tests and the benchmark keep their files and databases. */
import {
  type DisposableTempDir,
  existsSync,
  mkdtempDisposableSync,
  readdirSync,
  readFileSync,
  rmSync,
  statfsSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Linux's file system in memory, in which a data directory is copied in a tenth of the time that a disk takes. */
const MEMORY = '/dev/shm'
/** The bytes that it must have left: in many containers it has 64 MB. */
const MIN_FREE_BYTES = 2 * 2 ** 30

export const TEMPORARY = isUsable() ? MEMORY : tmpdir()

function isUsable(): boolean {
  if (!existsSync(MEMORY)) return false
  const { bavail, bsize } = statfsSync(MEMORY)
  // Postgres may be copied there, and run.
  const mounts = readFileSync('/proc/mounts', 'utf8').split('\n')
  const forbids = mounts.some((mount) => mount.includes(` ${MEMORY} `) && /\bnoexec\b/.test(mount))
  return !forbids && bavail * bsize >= MIN_FREE_BYTES
}

/** Makes a directory, which its user removes. @param parent tmpdir(), for what is large or measured */
export function createDirectory(parent = TEMPORARY): DisposableTempDir {
  return mkdtempDisposableSync(join(parent, `pet-store-${process.pid}-`))
}

/** Removes from memory what processes have left there that were killed. */
export function removeAbandoned(): void {
  if (TEMPORARY !== MEMORY) return
  for (const name of readdirSync(MEMORY)) {
    const [, pid] = /^pet-store-(\d+)-/.exec(name) ?? []
    if (pid !== undefined && !isRunning(Number(pid)))
      rmSync(join(MEMORY, name), { recursive: true, force: true })
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}
