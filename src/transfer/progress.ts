/** Milliseconds between two lines. */
const INTERVAL_MS = 3_000

/**
 * Shows on stderr how far a phase of an import or export has got, until it is disposed of.
 * @param phase such as "reading"
 * @param noun of the items, in the plural
 * @param total the amount to be done, in any unit; null if it is not known
 */
export function showProgress(phase: string, noun: string, total: number | null) {
  const started = performance.now()
  let items = 0
  let done = 0
  const show = () => {
    const seconds = (performance.now() - started) / 1000
    const share = total ? Math.min(done / total, 1) : 0
    const parts = [
      `${phase}: ${formatNumber(items)} ${noun}`,
      ...(share > 0 ? [`${Math.floor(share * 100)} %`] : []),
      formatRate(items, seconds, noun),
      ...(share > 0 ? [`${formatSeconds((seconds * (1 - share)) / share)} left`] : []),
    ]
    console.error(parts.join(', '))
  }
  const timer = setInterval(show, INTERVAL_MS)
  return {
    /** @param doneNow how much of the total is done */
    update(itemsNow: number, doneNow: number): void {
      items = itemsNow
      done = doneNow
    },
    [Symbol.dispose]() {
      clearInterval(timer)
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
