/** Shares the event loop among work that takes long, so that it leaves time for other requests. */
import { toError } from './service-error.ts'

/** Milliseconds that one turn of the event loop may take; its last step may exceed them. */
const TURN_MS = 4

/** Work in steps: one ends at each `yield`. */
export type Steps<Result> = Generator<void, Result, void>

/** Work of one lane is done in order. Each API key has a lane; all events share one, since their order does not matter. */
type Lane = string | typeof EVENTS
export const EVENTS = Symbol('events')

/** Does a step. @returns whether it was the last */
type Job = () => boolean

/** One job at a time; lanes alternate. */
export class Turns {
  readonly #now: () => number
  #left = TURN_MS
  #current: Job | null = null
  /** The lane whose turn is next comes first. None is empty. */
  readonly #waiting = new Map<Lane, Job[]>()
  /** Whether a step is being done, or the next turn is awaited. */
  #isBusy = false

  /** @param now milliseconds of a clock */
  constructor(now = () => performance.now()) {
    this.#now = now
  }

  /** Does work in one step: at once, or in a later turn if others wait or this turn has taken long enough. */
  run<Result>(lane: Lane, work: () => Result | Promise<Result>): Promise<Result> {
    return this.runSteps(lane, oneStep(work))
  }

  /** The same in several steps, with nothing else between them but other turns of the event loop. */
  runSteps<Result>(lane: Lane, steps: Steps<Result | Promise<Result>>): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#add(lane, () => {
        try {
          const { done, value } = steps.next()
          if (done) resolve(value)
          return done === true
        } catch (error) {
          reject(toError(error))
          return true
        }
      })
      this.#proceed()
    })
  }

  #add(lane: Lane, job: Job): void {
    const jobs = this.#waiting.get(lane)
    if (jobs) jobs.push(job)
    else this.#waiting.set(lane, [job])
  }

  #takeNext(): Job | null {
    for (const [lane, jobs] of this.#waiting) {
      const job = jobs.shift()
      this.#waiting.delete(lane)
      if (jobs.length > 0) this.#waiting.set(lane, jobs)
      if (job) return job
    }
    return null
  }

  #proceed(): void {
    if (this.#isBusy) return
    this.#isBusy = true
    while (this.#left > 0) {
      this.#current ??= this.#takeNext()
      if (!this.#current) {
        this.#isBusy = false
        return
      }
      const start = this.#now()
      if (this.#current()) this.#current = null
      this.#left -= this.#now() - start
    }
    setImmediate(() => {
      this.#left = TURN_MS
      this.#isBusy = false
      this.#proceed()
    })
  }
}

// eslint-disable-next-line require-yield -- its only step is its last
export function* oneStep<Result>(work: () => Result): Steps<Result> {
  return work()
}

/** The turns of large answers and of events. */
export const turns = new Turns()
