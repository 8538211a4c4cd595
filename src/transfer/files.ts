/** The files, or standard streams, that are read and written. */
import { createWriteStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import { STANDARD_STREAM } from './format.ts'
import { TransferError } from './transfer-error.ts'

export interface Input {
  bytes: AsyncIterable<Buffer>
  /** In bytes; null if it is not known. */
  size: number | null
}

/** Bytes of one part. */
const PART = 2 ** 16

/** @throws TransferError; so does reading */
export async function openInput(file: string): Promise<Input> {
  const name = file === STANDARD_STREAM ? 'stdin' : file
  try {
    if (file === STANDARD_STREAM) return { bytes: read(process.stdin, name), size: null }
    const handle = await open(file)
    const stat = await handle.stat()
    const size = stat.isFile() ? stat.size : null
    return { bytes: read(handle.createReadStream({ highWaterMark: PART }), name), size }
  } catch (error) {
    throw new TransferError(`Cannot read ${name}: ${describe(error)}`)
  }
}

async function* read(source: AsyncIterable<Buffer>, name: string): AsyncGenerator<Buffer> {
  try {
    for await (const chunk of source) yield chunk
  } catch (error) {
    throw new TransferError(`Cannot read ${name}: ${describe(error)}`)
  }
}

/**
 * Writes text as fast as it is consumed. If the reader of stdout goes away, as head does, writing ends early.
 * @throws TransferError if it cannot be written; what `parts` throws
 */
export async function writeOutput(file: string, parts: AsyncIterable<string>): Promise<void> {
  const isStandard = file === STANDARD_STREAM
  try {
    await pipeline(parts, isStandard ? process.stdout : createWriteStream(file), { end: !isStandard })
  } catch (error) {
    if (!isSystemError(error)) throw error
    if (isStandard && error.code === 'EPIPE') return
    const name = isStandard ? 'stdout' : file
    throw new TransferError(`Cannot write ${name}: ${error.message}. The export is incomplete.`)
  }
}

function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error
}

function describe(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
