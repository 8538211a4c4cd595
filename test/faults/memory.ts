import { join } from 'node:path'
import { expect } from 'vitest'
import { eventually } from '../support/eventually.ts'
import { type Program, ROOT } from '../support/process.ts'

/** Node options for a server whose memory is measured: those of `npm start`, and a probe. */
export const MEASURED = [
  '--max-semi-space-size=16',
  '--disable-sigusr1',
  '--expose-gc',
  '--import',
  join(ROOT, 'test', 'support', 'memory-probe.ts'),
]

/** Sizes are in MB. */
export interface Memory {
  /** Resident memory of the process. */
  rss: number
  /** The greatest resident memory so far. */
  peak: number
  /** Heap and buffers in use after garbage collection. */
  used: number
  /** CPU time of the longest iteration of the event loop since the last measurement, in ms. */
  longestTurn: number
}

export async function measureMemory({ child, stdout }: Program): Promise<Memory> {
  const readings = () => stdout.filter((line) => line.startsWith('memory: '))
  const before = readings().length
  child.kill('SIGUSR2')
  const line = await eventually(() => {
    const lines = readings()
    expect(lines.length).toBeGreaterThan(before)
    return lines.at(-1) ?? ''
  })
  const { rss, peak, used, longestTurn } = JSON.parse(line.replace('memory: ', '')) as Memory
  return { rss: rss / 2 ** 20, peak: peak / 2 ** 20, used: used / 2 ** 20, longestTurn }
}

/** @returns the growth as readable text */
export function describeGrowth(before: Memory, after: Memory): string {
  const growth = (key: 'rss' | 'used') => `${Math.round(after[key] - before[key])} MB`
  return `${growth('rss')} of RSS (${Math.round(before.rss)} before), ${growth('used')} in use`
}
