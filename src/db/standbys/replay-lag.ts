import { isReached, type WalPosition } from './wal-position.ts'

/** The maximum number of positions that are remembered, one a second. */
const MAX_AHEAD = 600

/** How far a standby is behind: how long ago the primary was at a position that the standby has not reached yet. */
export class ReplayLag {
  /** Where the primary was at what time (performance.now()), as far as the standby has not replayed it. */
  #ahead: { position: WalPosition; since: number }[] = []

  /** Records where the primary is now. */
  record(position: WalPosition): void {
    const last = this.#ahead.at(-1)
    if (last && this.#ahead.length >= MAX_AHEAD) last.position = position
    else if (!last || !isReached(last.position, position)) {
      this.#ahead.push({ position, since: performance.now() })
    }
  }

  /** @param hasReached whether the standby has replayed a position @returns seconds; 0 if the primary is idle */
  measure(hasReached: (position: WalPosition) => boolean): number {
    const missing = this.#ahead.findIndex(({ position }) => !hasReached(position))
    this.#ahead.splice(0, missing < 0 ? this.#ahead.length : missing)
    const [oldest] = this.#ahead
    return oldest ? (performance.now() - oldest.since) / 1_000 : 0
  }
}
