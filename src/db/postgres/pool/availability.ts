import type { Observe } from '../../../base/observation.ts'

/** Whether a server answers its pools: it is lost once none can open a connection, and back once one has opened one. */
export class Availability {
  readonly #isAnyOpen: () => boolean
  readonly #onChange: Observe
  /** In the time of performance.now; null: it is not lost. */
  #lostSince: number | null = null

  /** @param isAnyOpen whether any pool has an open connection @param onChange told that the server is lost, and that it is back */
  constructor(isAnyOpen: () => boolean, onChange: Observe) {
    this.#isAnyOpen = isAnyOpen
    this.#onChange = onChange
  }

  /** A connection could not be opened. While others are open, that says nothing about them: the server may only be slow. */
  onUnopened(cause: string): void {
    if (this.#lostSince !== null || this.#isAnyOpen()) return
    this.#lostSince = performance.now()
    this.#onChange({ type: 'database lost', cause })
  }

  /** A connection is open, as each that runs a statement: whatever that is answered. */
  onOpened(): void {
    if (this.#lostSince === null) return
    const seconds = (performance.now() - this.#lostSince) / 1_000
    this.#lostSince = null
    this.#onChange({ type: 'database back', seconds })
  }
}
