/** Loaded into a server by `--import`: on SIGUSR2 it prints its memory, before and after garbage collection. Needs `--expose-gc`. */
import { setTimeout } from 'node:timers/promises'

process.on('SIGUSR2', () => void measure())

async function measure(): Promise<void> {
  const { rss } = process.memoryUsage()
  const peak = process.resourceUsage().maxRSS * 1024
  for (let times = 0; times < 3; times += 1) {
    gc?.()
    await setTimeout(100)
  }
  const { heapUsed, external } = process.memoryUsage()
  console.log(`memory: ${JSON.stringify({ rss, peak, used: heapUsed + external })}`)
}
