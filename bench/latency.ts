/** Latency of our server and of the hand-written peer at half load. */
import { createRequests, type Operation, TITLES } from './operations.ts'
import { measurePaced } from './paced-load.ts'
import { formatCount, formatGoal, formatTable, median, medianRatio, showProgress } from './report.ts'
import type { Server } from './servers.ts'
import type { Settings } from './settings.ts'

/** The minimum number of rounds: a single stall of the machine decides the slowest 1 % of a round. */
const MIN_ROUNDS = 9

/** The maximum requests per second. */
export interface Peaks {
  operation: Operation
  ours: number
  hand: number
}

/** Compares p99 at half of the lower peak, and at half of each server's own peak. */
export async function compareLatency(
  ours: Server,
  hand: Server,
  peaks: readonly Peaks[],
  settings: Settings,
): Promise<string> {
  const rounds = Math.max(MIN_ROUNDS, settings.rounds)
  const measure = async (server: Server, operation: Operation, rate: number, round: number) => {
    const requests = createRequests(operation, { rows: settings.rows, seed: round, dialect: server.dialect })
    await measurePaced(server.url, requests, { rate, seconds: settings.warmUp })
    const { p99 } = await measurePaced(server.url, requests, { rate, seconds: settings.seconds })
    showProgress(
      `round ${round} of ${rounds}, ${operation}, ${server.name} at ${formatCount(rate)}/s: p99 ${p99.toFixed(2)} ms`,
    )
    return p99
  }

  const rows: string[][] = []
  for (const { operation, ...peak } of peaks) {
    const lower = Math.min(peak.ours, peak.hand) / 2
    for (const [title, handRate, ourRate] of [
      ['half of the lower peak', lower, lower],
      ['half of its own peak', peak.hand / 2, peak.ours / 2],
    ] as const) {
      const [theirs, mine]: [number[], number[]] = [[], []]
      for (let round = 1; round <= rounds; round += 1) {
        theirs.push(await measure(hand, operation, handRate, round))
        mine.push(await measure(ours, operation, ourRate, round))
      }
      const ratio = medianRatio(mine, theirs)
      rows.push([
        TITLES[operation],
        title,
        `${median(theirs).toFixed(2)} ms at ${formatCount(handRate)}/s`,
        `${median(mine).toFixed(2)} ms at ${formatCount(ourRate)}/s`,
        `${ratio.toFixed(2)} ×`,
        formatGoal(ratio, '≤', 1),
      ])
    }
  }
  return formatTable(['p99 of', 'at', 'hand-written peer', 'Pet Store', 'ours / theirs', 'goal'], rows)
}
