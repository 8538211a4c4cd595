import { stringifyChunked } from '@discoveryjs/json-ext'
import { ServiceError } from './service-error.ts'
import { MAX_ANSWER } from './request-memory.ts'
import type { Steps } from './turns.ts'

/** The characters of one step; its last value may exceed them. */
const STEP = 64 * 2 ** 10

/** Where texts are made, one at a time; allocated for the first. */
let workspace = Buffer.alloc(0)

/**
 * JSON.stringify in steps, for a text that may be large.
 * @param start precedes the text
 * @param hold receives the bytes of each step; may throw
 * @returns bytes: to send a string, Node would reserve three times its memory
 * @throws ServiceError RESPONSE_TOO_LARGE
 */
export function* writeJson(
  value: unknown,
  start = '',
  hold: (bytes: number) => void = () => undefined,
): Steps<Buffer> {
  if (workspace.length === 0) workspace = Buffer.allocUnsafeSlow(MAX_ANSWER)
  let length = workspace.write(start)
  for (const part of stringifyChunked(value, { highWaterMark: STEP })) {
    const bytes = Buffer.byteLength(part)
    if (length + bytes > workspace.length) throw new ServiceError('RESPONSE_TOO_LARGE')
    length += workspace.write(part, length)
    hold(bytes)
    yield
  }
  return Buffer.from(workspace.subarray(0, length))
}
