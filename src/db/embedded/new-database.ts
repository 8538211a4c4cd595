/**
 * A new database. Creating one (initdb) takes 600 MB of memory and several seconds, so the build does it once, and a first start
 * only unpacks the result.
 */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { deserialize, serialize } from 'node:v8'
import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import { PGlite } from '@electric-sql/pglite'
import { pathInProject } from '../../base/project-root.ts'

/** The file that the build makes in `dist`. */
export const ARCHIVE_NAME = 'new-database.v8.zst'
const ARCHIVE = pathInProject('dist', ARCHIVE_NAME)

/** The three databases of a new Postgres are nearly equal: a window as large as all of them halves the archive. */
const COMPRESSION = {
  params: {
    [constants.ZSTD_c_compressionLevel]: 19,
    [constants.ZSTD_c_windowLog]: 26,
    [constants.ZSTD_c_enableLongDistanceMatching]: 1,
  },
}

/** A file in an archive, or a directory, which has no content and precedes what is in it. */
type Entry = readonly [path: string, content: Buffer | null]

/**
 * Creates a database in a directory that does not exist yet. It gets its name last, so that a process that is killed meanwhile
 * leaves nothing that looks like a database.
 */
export async function createDatabase(directory: string): Promise<void> {
  const draft = `${directory}.new`
  rmSync(draft, { recursive: true, force: true })
  if (existsSync(ARCHIVE)) unpack(readFileSync(ARCHIVE), draft)
  // The sources also run without a build.
  else await initialize(draft)
  renameSync(draft, directory)
}

/** @returns a new database, for the build to keep */
export async function archiveNewDatabase(): Promise<Buffer> {
  const directory = mkdtempSync(join(tmpdir(), 'pet-store-'))
  try {
    await initialize(directory)
    const entries = readdirSync(directory, { recursive: true, withFileTypes: true }).map((found): Entry => {
      const path = join(found.parentPath, found.name)
      return [relative(directory, path), found.isDirectory() ? null : readFileSync(path)]
    })
    return zstdCompressSync(serialize(entries), COMPRESSION)
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

async function initialize(directory: string): Promise<void> {
  const database = await PGlite.create(directory)
  await database.close()
}

function unpack(archive: Buffer, directory: string): void {
  const unpacked = zstdDecompressSync(archive, { params: { [constants.ZSTD_d_windowLogMax]: 26 } })
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  for (const [path, content] of deserialize(unpacked) as Entry[]) {
    if (content) writeFileSync(join(directory, path), content, { mode: 0o600 })
    else mkdirSync(join(directory, path), { mode: 0o700 })
  }
}
