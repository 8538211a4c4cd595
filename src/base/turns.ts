/** Shares the event loop among large texts, so that they leave time for other requests. */

/** The bytes that one turn of the event loop may write; the last text of a turn may exceed them. */
const TURN_BYTES = 512 * 2 ** 10

/** What has a length, in bytes or characters. */
interface Sized {
  readonly length: number
}

/** The turns of one event loop. */
export class Turns {
  #left = TURN_BYTES
  #waiting: (() => void)[] = []

  /** Whether something waits for a later turn. */
  get isBusy(): boolean {
    return this.#waiting.length > 0
  }

  /**
   * Runs what makes or writes a text: at once, or in a later turn if this one has written enough. All that waits is run in order.
   * @returns what `write` returns, whose length counts
   */
  run<Text extends Sized>(write: () => Text): Text | Promise<Text> {
    if (this.#left > 0 && !this.isBusy) return this.#count(write())
    return new Promise((resolve, reject) => {
      this.#waiting.push(() => {
        try {
          resolve(this.#count(write()))
        } catch (error) {
          reject(error instanceof Error ? error : new Error(String(error)))
        }
      })
    })
  }

  #count<Text extends Sized>(text: Text): Text {
    const wasLeft = this.#left > 0
    this.#left -= text.length
    if (wasLeft && this.#left <= 0) setImmediate(() => this.#startNext())
    return text
  }

  #startNext(): void {
    this.#left = TURN_BYTES
    while (this.#left > 0) {
      const next = this.#waiting.shift()
      if (!next) return
      next()
    }
  }
}

/** A process has one event loop. */
export const turns = new Turns()
