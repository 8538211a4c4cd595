/** Shares the event loop among large texts that are written in steps, so that they leave time for other requests. */

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

/**
 * Jobs of one lane are done in order. Each API key has a lane for its answers; all events share one, since their order does not matter,
 * and so does what clients send faster than it is answered.
 */
type Lane = string | typeof EVENTS | typeof INPUT
export const EVENTS = Symbol('events')
export const INPUT = Symbol('input')

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
