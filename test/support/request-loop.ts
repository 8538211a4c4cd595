/**
 * Runs in a worker thread, so that what a test does meanwhile makes nothing slower: sends a request again and again until it gets a
 * message, then posts the statuses, and for each answer its time and the CPU time of the server's main thread until it came, both in
 * milliseconds. Only the latter says what others have cost it on a busy machine.
 */
import { readFileSync } from 'node:fs'
import { Agent, get } from 'node:http'
import { parentPort, workerData } from 'node:worker_threads'

const { url, key, pid } = workerData as { url: string; key: string; pid: number }
const agent = new Agent({ keepAlive: true })
const headers = { authorization: `Bearer ${key}` }
const statuses = new Set<number | undefined>()
const times: number[] = []
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
  const [start, cpu] = [performance.now(), cpuOf()]
  await send()
  times.push(performance.now() - start)
  waits.push(cpuOf() - cpu)
}
agent.destroy()
parentPort?.postMessage({ statuses: [...statuses], times, waits })
