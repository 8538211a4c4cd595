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
import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import { PGlite } from '@electric-sql/pglite'
import { pathInProject } from '../../base/project-root.ts'

/** The file that the build makes in `dist`. */
export const ARCHIVE_NAME = 'new-database.zst'
const ARCHIVE = pathInProject('dist', ARCHIVE_NAME)

/** The three databases of a new Postgres are nearly equal: a window as large as all of them halves the archive. */
const COMPRESSION = {
  params: {
    [constants.ZSTD_c_compressionLevel]: 19,
    [constants.ZSTD_c_windowLog]: 26,
    [constants.ZSTD_c_enableLongDistanceMatching]: 1,
  },
}

/** What is in an archive, in the order of the contents that follow. */
interface Entry {
  path: string
  /** In bytes; null: a directory. */
  size: number | null
}

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
    return pack(directory)
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

async function initialize(directory: string): Promise<void> {
  const database = await PGlite.create(directory)
  await database.close()
}

/** @returns the length of the entries as JSON, these, and the contents of the files */
function pack(directory: string): Buffer {
  const contents: Buffer[] = []
  const entries = readdirSync(directory, { recursive: true, withFileTypes: true }).map((found): Entry => {
    const path = join(found.parentPath, found.name)
    const content = found.isDirectory() ? null : readFileSync(path)
    if (content) contents.push(content)
    return { path: relative(directory, path), size: content?.length ?? null }
  })
  const header = Buffer.from(JSON.stringify(entries))
  const length = Buffer.alloc(4)
  length.writeUInt32BE(header.length)
  return zstdCompressSync(Buffer.concat([length, header, ...contents]), COMPRESSION)
}

function unpack(archive: Buffer, directory: string): void {
  const unpacked = zstdDecompressSync(archive, { params: { [constants.ZSTD_d_windowLogMax]: 26 } })
  let offset = 4 + unpacked.readUInt32BE()
  const entries = JSON.parse(unpacked.toString('utf8', 4, offset)) as Entry[]
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  const directories = entries.filter(({ size }) => size === null)
  for (const { path } of directories) mkdirSync(join(directory, path), { recursive: true, mode: 0o700 })
  for (const { path, size } of entries) {
    if (size === null) continue
    writeFileSync(join(directory, path), unpacked.subarray(offset, offset + size), { mode: 0o600 })
    offset += size
  }
}
