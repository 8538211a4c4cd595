/** The files, or standard streams, that are read and written, and their formats. */
import { createWriteStream, type Stats } from 'node:fs'
import { chmod, link, open, readlink, rename, rm, stat } from 'node:fs/promises'
import { dirname, extname, isAbsolute } from 'node:path'
import type { Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { OperatorError, UsageError } from '../base/operator-error.ts'
import { hasCode, messageOf } from '../base/thrown.ts'

export const FORMATS = ['ndjson', 'csv'] as const
export type Format = (typeof FORMATS)[number]

/** Stands for stdin or stdout. */
export const STANDARD_STREAM = '-'

const ENDINGS: Readonly<Record<string, Format>> = { '.ndjson': 'ndjson', '.jsonl': 'ndjson', '.csv': 'csv' }

/**
 * The format of a file: the requested one, or that of its extension; for a standard stream, NDJSON by default.
 * @throws UsageError if its extension names no format
 */
export function chooseFormat(file: string, requested: Format | undefined): Format {
  const format = requested ?? (file === STANDARD_STREAM ? 'ndjson' : ENDINGS[extname(file).toLowerCase()])
  if (format) return format
  throw new UsageError(
    `The extension of ${file} does not say which format it has: add --format ndjson or --format csv.`,
  )
}

export interface Input {
  bytes: AsyncIterable<Buffer>
  /** In bytes; null if it is not known. */
  size: number | null
}

/** @throws OperatorError; so does reading */
export async function openInput(file: string): Promise<Input> {
  const name = file === STANDARD_STREAM ? 'stdin' : file
  try {
    if (file === STANDARD_STREAM) return { bytes: read(process.stdin, name), size: null }
    const stats = await stat(file)
    // One can be opened: only reading would fail, after the database has been created.
    if (stats.isDirectory()) throw new Error('it is a directory')
    const handle = await open(file)
    return { bytes: read(handle.createReadStream(), name), size: stats.isFile() ? stats.size : null }
  } catch (error) {
    throw new OperatorError(`Cannot read ${name}: ${messageOf(error)}`)
  }
}

async function* read(source: AsyncIterable<Buffer>, name: string): AsyncGenerator<Buffer> {
  try {
    for await (const chunk of source) yield chunk
  } catch (error) {
    throw new OperatorError(`Cannot read ${name}: ${messageOf(error)}`)
  }
}

/** @throws OperatorError if an export to this file would replace one, or cannot be written */
export async function throwIfExists(file: string): Promise<void> {
  if (file === STANDARD_STREAM) return
  const found = await findTarget(file)
  if (found?.isFile())
    throw new OperatorError(`${file} exists: choose another name, or replace it with --force.`)
}

/**
 * Writes text as fast as it is consumed. A file gets its name when it is complete, so that the beginning of an export is never taken
 * for all of it; until then, a file that it replaces stays.
 * @param options force: whether a file that exists, or appears meanwhile, is replaced
 * @throws OperatorError if it cannot be written; what `text` throws
 */
export async function writeOutput(
  file: string,
  text: AsyncIterable<string>,
  { force }: { force: boolean },
): Promise<void> {
  if (file === STANDARD_STREAM) return write('stdout', text, () => process.stdout)
  const found = await findTarget(file)
  // Into a pipe or a device.
  if (found && !found.isFile()) return write(file, text, () => createWriteStream(file))
  const path = await followLinks(file)
  const draft = `${path}.${process.pid}.part`
  // It may be that of a process which had the same id, and was killed. Exclusive, so that no link is followed.
  await rm(draft, { force: true })
  try {
    await write(file, text, () => createWriteStream(draft, { flags: 'wx', mode: found?.mode, flush: true }))
    // The umask restricts the mode of a new file.
    if (found) await chmod(draft, found.mode)
  } catch (error) {
    await rm(draft, { force: true })
    throw error
  }
  const naming = force ? rename(draft, path) : renameToNew(draft, path)
  await naming.catch((error: unknown) => {
    throw new OperatorError(`${draft} is complete, but cannot be renamed: ${messageOf(error)}.`)
  })
}

/** Renames a file, but replaces none, as `rename` would. */
async function renameToNew(from: string, to: string): Promise<void> {
  try {
    await link(from, to)
  } catch (error) {
    if (hasCode(error, 'EEXIST') || (await findTarget(to))) throw new Error(`${to} exists`, { cause: error })
    // On a file system without hard links, such as exFAT: a file that appears only now is replaced.
    return rename(from, to)
  }
  await rm(from)
}

/** What is at a path, or where its symbolic links lead; null: nothing. @throws OperatorError */
async function findTarget(file: string): Promise<Stats | null> {
  try {
    return await stat(file)
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return null
    throw new OperatorError(`Cannot write to ${file}: ${messageOf(error)}.`)
  }
}

/** Where a symbolic link leads, which stays. It may lead to a file that is yet to be created, for which `realpath` has no answer. */
async function followLinks(path: string): Promise<string> {
  const target = await readlink(path).catch(() => null)
  if (target === null) return path
  return followLinks(isAbsolute(target) ? target : `${dirname(path)}/${target}`)
}

/** @param name for messages */
async function write(name: string, text: AsyncIterable<string>, open: () => Writable): Promise<void> {
  try {
    const stream = open()
    await pipeline(text, stream, { end: stream !== process.stdout })
  } catch (error) {
    if (!(error instanceof Error && 'syscall' in error)) throw error
    throw new OperatorError(`Cannot write to ${name}: ${messageOf(error)}.`)
  }
}
