/** Milliseconds between two updates of the line on a terminal, and between two lines elsewhere. */
const TERMINAL_INTERVAL_MS = 200
const INTERVAL_MS = 3_000
/** Goes to the beginning of the line, and empties it. */
const CLEAR_LINE = '\r\x1b[K'

/** Where progress is shown: on a terminal in one line, elsewhere in a line every three seconds. */
export type ProgressOutput = NodeJS.WritableStream & { isTTY?: boolean; columns?: number }

/**
 * Shows how far a phase of an import or export has got, until it is disposed of.
 * @param names of the phase ("reading"), and of the items, in the plural
 * @param total the amount to be done, in any unit; null if it is not known
 */
export function showProgress(
  output: ProgressOutput,
  { label, many }: { label: string; many: string },
  total: number | null,
) {
  const started = performance.now()
  let items = 0
  let done = 0
  const describe = () => {
    const seconds = (performance.now() - started) / 1000
    const share = total ? Math.min(done / total, 1) : 0
    return [
      `${label}: ${formatNumber(items)} ${many}`,
      ...(share > 0 ? [`${Math.floor(share * 100)} %`] : []),
      formatRate(items, seconds, many),
      ...(share > 0 ? [`${formatSeconds((seconds * (1 - share)) / share)} left`] : []),
    ].join(', ')
  }
  const show = () => {
    // Only what fits: a line that wraps could not be replaced.
    const text = output.isTTY
      ? CLEAR_LINE + describe().slice(0, (output.columns ?? 80) - 1)
      : `${describe()}\n`
    output.write(text)
  }
  const timer = setInterval(show, output.isTTY ? TERMINAL_INTERVAL_MS : INTERVAL_MS)
  return {
    /** @param doneNow how much of the total is done */
    update(itemsNow: number, doneNow: number): void {
      items = itemsNow
      done = doneNow
    },
    [Symbol.dispose]() {
      clearInterval(timer)
      if (output.isTTY) output.write(CLEAR_LINE)
    },
  }
}

export function formatNumber(value: number): string {
  return Math.round(value).toLocaleString('en-US')
}

/** @param noun in the singular */
export function formatCount(value: number, noun: string): string {
  return `${formatNumber(value)} ${noun}${value === 1 ? '' : 's'}`
}

/** How many items in how long. @param noun in the singular @param started by performance.now() */
export function describeRate(items: number, noun: string, started: number): string {
  const seconds = (performance.now() - started) / 1000
  return `${formatCount(items, noun)} in ${formatSeconds(seconds)} (${formatRate(items, seconds, `${noun}s`)})`
}

/** @param noun in the plural */
function formatRate(value: number, seconds: number, noun: string): string {
  return `${formatNumber(seconds > 0 ? value / seconds : 0)} ${noun}/s`
}

function formatSeconds(seconds: number): string {
  if (seconds < 10) return `${seconds.toFixed(1)} s`
  const whole = Math.round(seconds)
  return whole < 60 ? `${whole} s` : `${Math.floor(whole / 60)} min ${whole % 60} s`
}
