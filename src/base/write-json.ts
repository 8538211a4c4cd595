import { ServiceError } from './errors.ts'
import { MAX_ANSWER } from './request-memory.ts'
import type { Job } from './turns.ts'

/** The bytes of one step; its last part may exceed them. */
const STEP_BYTES = 64 * 2 ** 10
/** Characters of a value that is written whole: JSON may escape each as six bytes. */
const SHORT = 16 * 2 ** 10
/** The characters of `"":,`, and of a value that is not a text. */
const PUNCTUATION = 4
const SCALAR = 8

/** Where texts are made, one at a time; allocated for the first. */
let workspace = Buffer.alloc(0)

/**
 * JSON.stringify in steps, for a text that may be large.
 * @param start precedes the text
 * @param hold receives the bytes of each step but the last; may throw
 * @returns bytes: to send a string, Node would reserve three times its memory
 * @throws ServiceError RESPONSE_TOO_LARGE
 */
export function* writeJson(
  value: unknown,
  start = '',
  hold: (bytes: number) => void = () => undefined,
): Job<Buffer> {
  if (workspace.length === 0) workspace = Buffer.allocUnsafeSlow(MAX_ANSWER)
  let length = workspace.write(start)
  let counted = 0
  for (const part of partsOf(value)) {
    if (length + Buffer.byteLength(part) > workspace.length) throw new ServiceError('RESPONSE_TOO_LARGE')
    length += workspace.write(part, length)
    if (length - counted < STEP_BYTES) continue
    hold(length - counted)
    yield length - counted
    counted = length
  }
  yield length - counted
  return Buffer.from(workspace.subarray(0, length))
}

function* partsOf(value: unknown): Generator<string, undefined> {
  if (typeof value !== 'object' || value === null || isShort(value)) {
    yield JSON.stringify(value)
  } else if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) {
      yield index > 0 ? ',' : '['
      yield* partsOf(item)
    }
    yield ']'
  } else {
    let before = '{'
    for (const [name, member] of Object.entries(value)) {
      if (member === undefined) continue
      yield `${before}${JSON.stringify(name)}:`
      yield* partsOf(member)
      before = ','
    }
    yield '}'
  }
}

/** Whether the text of a value is short enough to be written whole. */
export function isShort(value: unknown): boolean {
  return takeLength(value, SHORT) > 0
}

/** Subtracts the rough length of a value from a number of characters; stops as soon as nothing is left. @returns what is left; 0 or less: nothing */
function takeLength(value: unknown, left: number): number {
  if (typeof value === 'string') return left - value.length
  if (typeof value !== 'object' || value === null) return left - SCALAR
  for (const [name, member] of Object.entries(value)) {
    left = takeLength(member, left - name.length - PUNCTUATION)
    if (left <= 0) break
  }
  return left
}
