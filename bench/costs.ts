/** The requests that a server answers, and the CPU time that they take. */
import { CONNECTIONS, measurePeak, type Peak } from './load.ts'
import type { Request } from './operations.ts'
import { readCpuTime } from './proc.ts'
import type { Settings } from './settings.ts'

/** Warms the server up first. @returns also the microseconds of CPU time of a request, in each of the processes */
export async function measureCosts(
  url: string,
  requests: readonly Request[],
  pids: readonly number[],
  { warmUp, seconds }: Pick<Settings, 'warmUp' | 'seconds'>,
  connections = CONNECTIONS,
): Promise<Peak & { costs: number[] }> {
  await measurePeak(url, requests, warmUp, { connections })
  const before = pids.map(readCpuTime)
  const peak = await measurePeak(url, requests, seconds, { connections })
  const costs = pids.map((pid, index) => ((readCpuTime(pid) - (before[index] ?? NaN)) / peak.requests) * 1e6)
  return { ...peak, costs }
}
