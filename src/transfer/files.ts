/** The files, or standard streams, that are read and written, and their formats. */
import { existsSync } from 'node:fs'
import { open, realpath, rename, rm, stat } from 'node:fs/promises'
import { extname } from 'node:path'
import type { Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { messageOf, OperatorError, UsageError } from '../base/service-error.ts'

export const FORMATS = ['ndjson', 'csv'] as const
export type Format = (typeof FORMATS)[number]

/** Stands for stdin or stdout. */
export const STANDARD_STREAM = '-'

const ENDINGS: Readonly<Record<string, Format>> = { '.ndjson': 'ndjson', '.jsonl': 'ndjson', '.csv': 'csv' }

const COMPRESSED = /\.(gz|bz2|xz|zst|zip)$/i
const SPREADSHEET = /\.(xlsx?|ods)$/i

/**
 * The format of a file: the one that was asked for, or that of its extension; that of a standard stream is NDJSON.
 * @throws UsageError if the file is neither NDJSON nor CSV, or its extension does not tell
 */
export function chooseFormat(file: string, asked: Format | undefined): Format {
  if (COMPRESSED.test(file))
    throw new UsageError(
      `${file} is compressed. Unpack it before the import, or compress it after the export.`,
    )
  if (SPREADSHEET.test(file))
    throw new UsageError(
      `${file} is a spreadsheet. Use CSV, which spreadsheets can read, and save as "CSV UTF-8".`,
    )
  const format = asked ?? (file === STANDARD_STREAM ? 'ndjson' : ENDINGS[extname(file).toLowerCase()])
  if (format) return format
  throw new UsageError(
    `The extension of ${file} does not tell its format: add --format ndjson or --format csv.`,
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
    const handle = await open(file)
    const stats = await handle.stat()
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

export interface Output {
  /** Writes text as fast as it is consumed. @throws OperatorError if it cannot be written; what `parts` throws */
  write: (parts: AsyncIterable<string>) => Promise<void>
  /** What a failure has left. */
  failure: string
}

/**
 * Opens a new file, or stdout. A file gets its name when it is whole, so that nobody takes the beginning of an export for all of it.
 * @param replaces whether to replace a file that exists
 * @throws OperatorError if it cannot be opened, or exists and is not replaced
 */
export async function openOutput(file: string, { replaces }: { replaces: boolean }): Promise<Output> {
  if (file === STANDARD_STREAM) return toOutput('stdout', process.stdout)
  try {
    const found = await stat(file).catch(() => null)
    // A pipe or a device exists, but holds nothing that would be lost.
    if (found && !found.isFile()) return toOutput(file, (await open(file, 'w')).createWriteStream())
    if (found && !replaces) throw existsAlready(file)
    // Behind a link is the file to replace.
    const path = found ? await realpath(file) : file
    const draft = `${path}.${process.pid}.part`
    const handle = await open(draft, 'w', found ? found.mode & 0o777 : undefined)
    const { write } = toOutput(file, handle.createWriteStream({ flush: true }))
    return {
      failure: `${file} was not written`,
      async write(parts) {
        try {
          await write(parts)
          // Somebody may have made one meanwhile.
          if (!replaces && existsSync(path)) throw existsAlready(file)
          await rename(draft, path)
        } finally {
          await rm(draft, { force: true })
        }
      },
    }
  } catch (error) {
    throw error instanceof OperatorError ? error : cannotWrite(file, error)
  }
}

/** @param name for messages */
function toOutput(name: string, stream: Writable): Output {
  return {
    failure: `${name} is incomplete`,
    async write(parts) {
      try {
        await pipeline(parts, stream, { end: stream !== process.stdout })
      } catch (error) {
        throw isSystemError(error) ? cannotWrite(name, error) : error
      }
    },
  }
}

function existsAlready(file: string): OperatorError {
  return new OperatorError(`${file} exists already. Choose another name, or replace it with --force.`)
}

function cannotWrite(name: string, error: unknown): OperatorError {
  return new OperatorError(`Cannot write to ${name}: ${messageOf(error)}.`)
}

function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error
}
