/** Writes large texts in steps, and shares the event loop among them, so that they leave time for other requests. */
import { ServiceError } from './errors.ts'
import { MAX_ANSWER } from './memory-budget.ts'

/** The bytes that one turn of the event loop may write; the last step of a turn may exceed them. */
const TURN_BYTES = 512 * 2 ** 10

/** Work in steps. It yields the bytes that each step has written. */
export type Job<Result> = Generator<number, Result, undefined>

/** A job in one step. @param write makes or writes a text, whose length counts */
export function* inOneStep<Text extends { readonly length: number }>(write: () => Text): Job<Text> {
  const text = write()
  yield text.length
  return text
}

/** Jobs of one lane are done in order. Each API key has a lane for its answers; all events share one, since their order does not matter. */
type Lane = string | typeof EVENTS
export const EVENTS = Symbol('events')

/** Does a step of a job. @returns the bytes that it has written; null: the job is done */
type Step = () => number | null

/** One job is done at a time, so that little is half done, and lanes take turns. */
export class Turns {
  #left = TURN_BYTES
  #current: Step | null = null
  /** The lane whose turn is next comes first. None is empty. */
  readonly #waiting = new Map<Lane, Step[]>()

  /** Does a job: at once, or in later turns if others wait or this one has written enough. */
  run<Result>(lane: Lane, job: Job<Result | Promise<Result>>): Promise<Result> {
    return new Promise((resolve, reject) => {
      const isIdle = !this.#current && this.#waiting.size === 0
      this.#add(lane, () => {
        try {
          const { done, value } = job.next()
          if (!done) return value
          resolve(value)
        } catch (error) {
          reject(error instanceof Error ? error : new Error(String(error)))
        }
        return null
      })
      if (isIdle) this.#proceed()
    })
  }

  #add(lane: Lane, job: Step): void {
    const jobs = this.#waiting.get(lane)
    if (jobs) jobs.push(job)
    else this.#waiting.set(lane, [job])
  }

  #takeNext(): Step | null {
    for (const [lane, jobs] of this.#waiting) {
      const job = jobs.shift()
      this.#waiting.delete(lane)
      if (jobs.length > 0) this.#waiting.set(lane, jobs)
      if (job) return job
    }
    return null
  }

  #proceed(): void {
    while (this.#left > 0) {
      this.#current ??= this.#takeNext()
      if (!this.#current) return
      const bytes = this.#current()
      if (bytes === null) this.#current = null
      else this.#left -= bytes
    }
    setImmediate(() => {
      this.#left = TURN_BYTES
      this.#proceed()
    })
  }
}

export const turns = new Turns()

/** The bytes of one step; its last part may exceed them. */
const STEP_BYTES = 64 * 2 ** 10
/** Characters of a value that is written whole: JSON may escape each as six bytes. */
const SHORT = 16 * 2 ** 10
/** The characters of `"":,`, and of a value that is no text. */
const PUNCTUATION = 4
const SCALAR = 8

/** Where texts are made, one at a time; the first makes this. */
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

/** Whether the text of a value is short enough to write it whole. */
export function isShort(value: unknown): boolean {
  return takeLength(value, SHORT) > 0
}

/** What a value leaves of a number of characters, roughly; 0 or less as soon as it is more. */
function takeLength(value: unknown, left: number): number {
  if (typeof value === 'string') return left - value.length
  if (typeof value !== 'object' || value === null) return left - SCALAR
  for (const [name, member] of Object.entries(value)) {
    left = takeLength(member, left - name.length - PUNCTUATION)
    if (left <= 0) break
  }
  return left
}
