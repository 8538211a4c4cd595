/** The number of names that stay although their count is 0. */
const MAX_IDLE = 100

/**
 * Counts by name. Most names are counted again soon, so a few stay although their count is 0: each time that a Map is emptied and filled
 * again, V8 allocates a new table, and a chain of those is freed only by a full collection.
 */
export class Counts<Name extends string | symbol | null> {
  readonly #counts = new Map<Name, number>()
  total = 0

  of(name: Name): number {
    return this.#counts.get(name) ?? 0
  }

  add(name: Name, change: number): void {
    const count = this.of(name) + change
    if (count === 0 && this.#counts.size > MAX_IDLE) this.#counts.delete(name)
    else this.#counts.set(name, count)
    this.total += change
  }
}
