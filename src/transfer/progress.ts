import { SingleBar } from 'cli-progress'

/** Between two lines, where there is no terminal. */
const INTERVAL_MS = 3_000

/** Where progress is shown: a terminal has a bar, anything else gets lines. */
export type ProgressOutput = NodeJS.WritableStream & { isTTY?: boolean }

/** What a phase does ("reading"), and what it does that to, in the plural. */
interface Phase {
  label: string
  many: string
}

/** Shows how far a phase of an import or export has got. */
export class Progress {
  readonly #phase: Phase
  readonly #total: number | null
  readonly #bar: SingleBar | null
  readonly #timer: NodeJS.Timeout | undefined
  readonly #started = performance.now()
  #items = 0
  #done = 0

  /** @param total the amount to be done, in any unit; null if it is not known */
  constructor(output: ProgressOutput, phase: Phase, total: number | null) {
    this.#phase = phase
    this.#total = total
    this.#bar = output.isTTY ? createBar(output, total) : null
    this.#bar?.start(total ?? 0, 0, { text: this.#describe() })
    if (!this.#bar) this.#timer = setInterval(() => output.write(`${this.#describe()}\n`), INTERVAL_MS)
  }

  /** @param done of the total */
  update(items: number, done: number): void {
    this.#items = items
    this.#done = done
    this.#bar?.update(done, { text: this.#describe() })
  }

  /** Removes the bar. */
  [Symbol.dispose](): void {
    clearInterval(this.#timer)
    this.#bar?.stop()
  }

  #describe(): string {
    const seconds = (performance.now() - this.#started) / 1000
    const { label, many } = this.#phase
    const share = this.#total ? Math.min(this.#done / this.#total, 1) : 0
    return [
      `${label}: ${formatNumber(this.#items)} ${many}`,
      ...(share > 0 ? [`${Math.floor(share * 100)} %`] : []),
      formatRate(this.#items, seconds, many),
      ...(share > 0 ? [`${formatSeconds((seconds * (1 - share)) / share)} left`] : []),
    ].join(', ')
  }
}

function createBar(stream: NodeJS.WritableStream, total: number | null): SingleBar {
  return new SingleBar({
    format: total === null ? '{text}' : '{bar} {text}',
    stream,
    barsize: 24,
    fps: 5,
    clearOnComplete: true,
    // The cursor would stay hidden after Ctrl-C.
    hideCursor: null,
  })
}

export function formatNumber(value: number): string {
  return Math.round(value).toLocaleString('en-US')
}

/** @param noun in the singular */
export function formatCount(value: number, noun: string): string {
  return `${formatNumber(value)} ${noun}${value === 1 ? '' : 's'}`
}

/** @param noun in the plural */
export function formatRate(value: number, seconds: number, noun: string): string {
  return `${formatNumber(seconds > 0 ? value / seconds : 0)} ${noun}/s`
}

export function formatSeconds(seconds: number): string {
  if (seconds < 10) return `${seconds.toFixed(1)} s`
  const whole = Math.round(seconds)
  return whole < 60 ? `${whole} s` : `${Math.floor(whole / 60)} min ${whole % 60} s`
}
