/** A process of many subscribers, so that they do not wait for the measurements, nor these for them. */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { Answer, Command } from './subscriber-client.ts'

const TIMEOUT_MS = 120_000

export class SubscriberProcess implements AsyncDisposable {
  readonly #name: string
  readonly #child: ChildProcess = fork(join(import.meta.dirname, 'subscriber-client.ts'))

  /** @param name whose subscribers they are, for error messages */
  constructor(name: string) {
    this.#name = name
  }

  /** One command at a time. @returns how many requests were refused at first */
  async ask(command: Command): Promise<number> {
    const answered = once(this.#child, 'message', { signal: AbortSignal.timeout(TIMEOUT_MS) })
    this.#child.send(command)
    const [{ error, refusals = 0 }] = (await answered) as [Answer]
    if (error !== undefined) throw new Error(`${this.#name}: ${error}`)
    return refusals
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.#child.connected) return
    const exit = once(this.#child, 'exit')
    this.#child.disconnect()
    await exit
  }
}
