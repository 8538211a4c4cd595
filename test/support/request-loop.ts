/**
 * Runs in a worker thread, so that what a test does meanwhile makes nothing slower: sends a request again and again until it gets a
 * message, then posts the statuses and the time of each answer, in milliseconds.
 */
import { Agent, get } from 'node:http'
import { parentPort, workerData } from 'node:worker_threads'

const { url, key } = workerData as { url: string; key: string }
const agent = new Agent({ keepAlive: true })
const headers = { authorization: `Bearer ${key}` }
const statuses = new Set<number | undefined>()
const times: number[] = []
let isStopped = false
parentPort?.once('message', () => (isStopped = true))

function send(): Promise<void> {
  return new Promise((resolve, reject) => {
    get(url, { agent, headers }, (response) => {
      statuses.add(response.statusCode)
      response.on('end', resolve).on('error', reject).resume()
    }).on('error', reject)
  })
}

// eslint-disable-next-line @typescript-eslint/no-unnecessary-condition -- the message changes it
while (!isStopped) {
  const start = performance.now()
  await send()
  times.push(performance.now() - start)
}
agent.destroy()
parentPort?.postMessage({ statuses: [...statuses], times })
