/** The files, or standard streams, that are read and written, and their formats. */
import { open, stat } from 'node:fs/promises'
import { extname } from 'node:path'
import type { Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { messageOf, OperatorError } from '../base/errors.ts'

export const FORMATS = ['ndjson', 'csv'] as const
export type Format = (typeof FORMATS)[number]

/** Stands for stdin or stdout. */
export const STANDARD_STREAM = '-'

const ENDINGS: Readonly<Record<string, Format>> = { '.ndjson': 'ndjson', '.jsonl': 'ndjson', '.csv': 'csv' }

/** The format of a file by its extension; null if that is unknown. */
export function formatOf(file: string): Format | null {
  return file === STANDARD_STREAM ? 'ndjson' : (ENDINGS[extname(file).toLowerCase()] ?? null)
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
  /** For messages. */
  name: string
  stream: Writable
}

/**
 * Opens a new file, or stdout.
 * @param replaces whether to empty a file that exists
 * @throws OperatorError if it cannot be opened, or exists and is not replaced
 */
export async function openOutput(file: string, { replaces }: { replaces: boolean }): Promise<Output> {
  if (file === STANDARD_STREAM) return { name: 'stdout', stream: process.stdout }
  try {
    // A pipe or a device exists, but holds nothing that would be lost.
    const isKept = !replaces && (await stat(file).catch(() => null))?.isFile() !== false
    const handle = await open(file, isKept ? 'wx' : 'w')
    return { name: file, stream: handle.createWriteStream() }
  } catch (error) {
    if (isSystemError(error) && error.code === 'EEXIST')
      throw new OperatorError(`${file} exists already. Choose another name, or replace it with --force.`)
    throw new OperatorError(`Cannot write to ${file}: ${messageOf(error)}`)
  }
}

/** Writes text as fast as it is consumed. @throws OperatorError if it cannot be written; what `parts` throws */
export async function writeOutput({ name, stream }: Output, parts: AsyncIterable<string>): Promise<void> {
  try {
    await pipeline(parts, stream, { end: stream !== process.stdout })
  } catch (error) {
    throw isSystemError(error) ? new OperatorError(`Cannot write to ${name}: ${error.message}.`) : error
  }
}

function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error
}
