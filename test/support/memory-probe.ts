/**
 * Loaded into a server by `--import`: on SIGUSR2 it prints its memory, before and after garbage collection, and the longest iteration of its
 * event loop since the last time. Needs `--expose-gc`.
 */
import { setTimeout } from 'node:timers/promises'

/** Milliseconds between two looks. */
const INTERVAL = 2

/** Of the main thread, since time on the clock also passes when other processes have the processor. */
const readCpu = () => {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1_000
}

let longestTurn = 0
let before = readCpu()
const watch = setInterval(() => {
  const now = readCpu()
  longestTurn = Math.max(longestTurn, now - before)
  before = now
}, INTERVAL)
watch.unref()

process.on('SIGUSR2', () => void measure())

async function measure(): Promise<void> {
  const { rss } = process.memoryUsage()
  const peak = process.resourceUsage().maxRSS * 1024
  const turn = longestTurn
  for (let times = 0; times < 3; times += 1) {
    gc?.()
    await setTimeout(100)
  }
  longestTurn = 0
  const { heapUsed, external } = process.memoryUsage()
  console.log(`memory: ${JSON.stringify({ rss, peak, used: heapUsed + external, longestTurn: turn })}`)
}
