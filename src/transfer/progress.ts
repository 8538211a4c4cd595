/** What the operator reads of an import or export: how far it has got, and how long it took. */
import { SingleBar } from 'cli-progress'
import type { Resource } from '../resource/fields/resource.ts'

/** Milliseconds between two lines, where stderr is no terminal. */
const INTERVAL_MS = 3_000

/**
 * Shows on stderr how far an import or export has got, until it is disposed of: as a bar on a terminal, elsewhere as lines.
 * @param label such as "importing"
 * @param plural what the items are called
 * @param total the amount to be done, in any unit; null if it is not known
 */
export function showProgress(label: string, plural: string, total: number | null) {
  const bar = new SingleBar({
    format: `${label}: {items} ${plural}${total ? ' [{bar}] {percentage} %{eta_formatted}' : ''}`,
    // Neither before anything is known nor at the end.
    formatTime: (seconds) => (seconds > 0 ? `, ${describeTime(seconds)} left` : ''),
    barsize: 30,
    noTTYOutput: true,
    notTTYSchedule: INTERVAL_MS,
    // Otherwise, the terminal would stay without line wrap after Ctrl-C.
    linewrap: true,
    clearOnComplete: true,
  })
  bar.start(total ?? 0, 0, { items: '0' })
  return {
    /** @param done how much of the total is done */
    update: (items: number, done: number): void => bar.update(done, { items: formatNumber(items) }),
    [Symbol.dispose]: () => bar.stop(),
  }
}

function describeTime(seconds: number): string {
  return seconds < 120 ? `${seconds} s` : `${Math.ceil(seconds / 60)} min`
}

function formatNumber(value: number): string {
  return value.toLocaleString('en-US')
}

/** How many items in how long. @param words of an item @param started by performance.now() */
export function describeResult(
  items: number,
  { singular, plural }: Resource['words'],
  started: number,
): string {
  const seconds = (performance.now() - started) / 1000
  return `${formatNumber(items)} ${items === 1 ? singular : plural} in ${seconds.toFixed(1)} s`
}
