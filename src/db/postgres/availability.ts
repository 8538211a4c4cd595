import type { Observe } from '../../base/observation.ts'

/** Whether a database answers: it is lost once no connection can be opened, and back once a statement is answered. */
export class Availability {
  readonly #onChange: Observe
  /** In the time of performance.now; null: it is not lost. */
  #lostSince: number | null = null

  constructor(onChange: Observe) {
    this.#onChange = onChange
  }

  /** No connection can be opened, and none is open. */
  lost(cause: string): void {
    if (this.#lostSince !== null) return
    this.#lostSince = performance.now()
    this.#onChange({ type: 'database lost', cause })
  }

  /** A statement was answered. */
  found(): void {
    if (this.#lostSince === null) return
    const seconds = (performance.now() - this.#lostSince) / 1_000
    this.#lostSince = null
    this.#onChange({ type: 'database back', seconds })
  }
}
