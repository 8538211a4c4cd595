import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { expect, onTestFinished } from 'vitest'
import { KEY } from '../support/service.ts'
import { print, type Server } from './server.ts'

/** Requests of the tests' own key, one after the other, while a test does something else. */
export async function startOrdinaryRequests({ url, program }: Server, path = '/v1/pets?limit=1') {
  const thread = new Worker(new URL('../support/request-loop.ts', import.meta.url), {
    workerData: { url: `${url}${path}`, key: KEY, pid: program.child.pid },
  })
  onTestFinished(() => void thread.terminate())
  await once(thread, 'online')
  return {
    /** Ends them. @returns what was measured as readable text, and the CPU time in ms that the server took at most until it answered one */
    async stop() {
      thread.postMessage('stop')
      const [{ statuses, times, waits }] = (await once(thread, 'message')) as [
        { statuses: number[]; times: number[]; waits: number[] },
      ]
      expect(statuses).toEqual([200])
      const sorted = times.toSorted((one, other) => one - other)
      const [p99, slowest] = [0.99, 1].map((part) =>
        Math.round(sorted[Math.ceil(sorted.length * part) - 1] ?? 0),
      )
      const longestWait = Math.round(Math.max(...waits))
      const text =
        `${print(sorted.length)} requests of another key took ${p99} ms at p99, ${slowest} ms at most, ` +
        `of which the server used ${longestWait} ms of CPU time`
      return { text, longestWait }
    },
  }
}
