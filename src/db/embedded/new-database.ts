/**
 * A new database. Creating one (initdb) takes long, and much memory, so the build does it once, and a first start
 * only unpacks the result.
 */
import { existsSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import { PGlite } from '@electric-sql/pglite'
import { pathInProject } from '../../base/project-root.ts'

/** The file that the build makes in `dist`. */
export const ARCHIVE_NAME = 'new-database.tar.zst'
const ARCHIVE = pathInProject('dist', ARCHIVE_NAME)

/** The three databases of a new Postgres are nearly equal: from level 20, the window holds all of them. */
const COMPRESSION = { params: { [constants.ZSTD_c_compressionLevel]: 21 } }

/**
 * Creates a database. Its directory gets its name last, so that a process that is killed meanwhile leaves nothing that looks like a database.
 * @param directory absent or empty
 * @param startParams those with which it is used
 * @throws Error of the system, if there are other files in the directory
 */
export async function initDataDirectory(directory: string, startParams: string[]): Promise<void> {
  const draft = `${directory}.new`
  rmSync(draft, { recursive: true, force: true })
  // The sources also run without a build: then PGlite creates one.
  const archive = existsSync(ARCHIVE)
    ? { loadDataDir: new Blob([zstdDecompressSync(readFileSync(ARCHIVE))]) }
    : {}
  const database = await PGlite.create(draft, { ...archive, startParams })
  await database.close()
  renameSync(draft, directory)
}

/** @returns a new database, for the build to keep */
export async function archiveNewDatabase(): Promise<Buffer> {
  const database = await PGlite.create()
  try {
    const archive = await database.dumpDataDir('none')
    return zstdCompressSync(Buffer.from(await archive.arrayBuffer()), COMPRESSION)
  } finally {
    await database.close()
  }
}
