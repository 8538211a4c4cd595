import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { expect, onTestFinished } from 'vitest'
import { KEY } from '../support/service.ts'
import type { Server } from './server.ts'

/** Requests of the tests' own key, one after the other, while a test does something else. */
export async function startOrdinaryRequests({ url, program }: Server, path = '/v1/pets?limit=1') {
  const thread = new Worker(new URL('../support/request-loop.ts', import.meta.url), {
    workerData: { url: `${url}${path}`, key: KEY, pid: program.child.pid },
  })
  onTestFinished(() => void thread.terminate())
  await once(thread, 'online')
  return {
    /** Ends them. @returns the CPU time in ms that the server took at most until it answered one */
    async stop(): Promise<number> {
      thread.postMessage('stop')
      const [{ statuses, waits }] = (await once(thread, 'message')) as [
        { statuses: number[]; waits: number[] },
      ]
      expect(statuses).toEqual([200])
      return Math.round(Math.max(...waits))
    },
  }
}
