/**
 * Runs in a worker thread, so that what a test does meanwhile makes nothing slower: sends a request again and again until it gets a
 * message, then posts the statuses, and for each answer the milliseconds of CPU time that the server's main thread took until it came: time
 * on the clock also passes when other processes run.
 */
import { readFileSync } from 'node:fs'
import { Agent, get } from 'node:http'
import { parentPort, workerData } from 'node:worker_threads'

const { url, key, pid } = workerData as { url: string; key: string; pid: number }
const agent = new Agent({ keepAlive: true })
const headers = { authorization: `Bearer ${key}` }
const statuses = new Set<number | undefined>()
const waits: number[] = []
let isStopped = false
parentPort?.once('message', () => (isStopped = true))

const cpuOf = () => Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6

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
  const cpu = cpuOf()
  await send()
  waits.push(cpuOf() - cpu)
}
agent.destroy()
parentPort?.postMessage({ statuses: [...statuses], waits })
