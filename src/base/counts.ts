/** Counts by name, of those that are not 0. */
export class Counts<Name> {
  readonly #counts = new Map<Name, number>()
  total = 0

  of(name: Name): number {
    return this.#counts.get(name) ?? 0
  }

  add(name: Name, change: number): void {
    const count = this.of(name) + change
    if (count === 0) this.#counts.delete(name)
    else this.#counts.set(name, count)
    this.total += change
  }
}
