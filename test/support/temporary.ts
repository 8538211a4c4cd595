/** Where the tests and the benchmark keep their files and databases. */
import { type DisposableTempDir, existsSync, mkdtempDisposableSync, readFileSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Linux's file system in memory, in which a data directory is copied in a tenth of the time that a disk takes. */
const MEMORY = '/dev/shm'
/** The bytes that it must have left: in many containers it has 64 MB. */
const ROOM = 2 * 2 ** 30

export const TEMPORARY = isUsable() ? MEMORY : tmpdir()

function isUsable(): boolean {
  if (!existsSync(MEMORY)) return false
  const { bavail, bsize } = statfsSync(MEMORY)
  // Postgres may be copied there, and run.
  const mayRun = !/^\S+ \/dev\/shm .*\bnoexec\b/m.test(readFileSync('/proc/mounts', 'utf8'))
  return mayRun && bavail * bsize >= ROOM
}

/** Makes a directory, which its user removes. @param parent tmpdir(), for what is large or measured */
export function createDirectory(parent = TEMPORARY): DisposableTempDir {
  return mkdtempDisposableSync(join(parent, 'pet-store-'))
}
