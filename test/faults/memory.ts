import { join } from 'node:path'
import { expect } from 'vitest'
import { eventually } from '../support/eventually.ts'
import { type Program, ROOT } from '../support/process.ts'

/** Options of Node for a server whose memory is measured. */
export const MEASURED = ['--expose-gc', '--import', join(ROOT, 'test', 'support', 'memory-probe.ts')]

/** In MB. */
export interface Memory {
  /** What the process holds of the machine's memory. */
  rss: number
  /** What is in use on the heap and in buffers, after garbage collection. */
  used: number
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
  const { rss, used } = JSON.parse(line.replace('memory: ', '')) as Memory
  return { rss: rss / 2 ** 20, used: used / 2 ** 20 }
}

/** @returns how much more is held now, for people */
export function describeGrowth(before: Memory, after: Memory): string {
  const growth = (key: keyof Memory) => `${Math.round(after[key] - before[key])} MB`
  return `${growth('rss')} of RSS (${Math.round(before.rss)} before), ${growth('used')} in use`
}
