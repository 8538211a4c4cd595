import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { expect, onTestFinished } from 'vitest'
import { KEY } from '../support/service.ts'
import { print } from './server.ts'

/** Requests of the tests' own key, one after the other, while a test does something else. */
export async function startOrdinaryRequests(url: string) {
  const thread = new Worker(new URL('../support/request-loop.ts', import.meta.url), {
    workerData: { url: `${url}/v1/pets?limit=1`, key: KEY },
  })
  onTestFinished(() => void thread.terminate())
  await once(thread, 'online')
  return {
    /** Ends them. @returns what was measured as readable text */
    async stop() {
      thread.postMessage('stop')
      const [{ statuses, times }] = (await once(thread, 'message')) as [
        { statuses: number[]; times: number[] },
      ]
      expect(statuses).toEqual([200])
      const sorted = times.toSorted((one, other) => one - other)
      const [p99, slowest] = [0.99, 1].map((part) =>
        Math.round(sorted[Math.ceil(sorted.length * part) - 1] ?? 0),
      )
      return `${print(sorted.length)} requests of another key took ${p99} ms at p99, ${slowest} ms at most`
    },
  }
}
