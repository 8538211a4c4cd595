/** The maximum number of names that are kept although their count is 0. */
const MAX_IDLE = 100

/**
 * Counts by name. Up to MAX_IDLE names stay although their count is 0: a Map that is emptied and filled again leaves garbage that only a full
 * collection frees.
 */
export class Counts {
  readonly #counts = new Map<string, number>()
  #total = 0

  get total(): number {
    return this.#total
  }

  of(name: string): number {
    return this.#counts.get(name) ?? 0
  }

  add(name: string, change: number): void {
    const count = this.of(name) + change
    if (count === 0 && this.#counts.size > MAX_IDLE) this.#counts.delete(name)
    else this.#counts.set(name, count)
    this.#total += change
  }
}
