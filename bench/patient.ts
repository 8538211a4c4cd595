/** Requests one after the other, whose failures are counted instead of ending everything. */
import { setTimeout } from 'node:timers/promises'
import type { Request } from './operations.ts'
import { median } from './report.ts'
import { headersOf } from './send.ts'

export interface Patient {
  /** Milliseconds of each request that succeeded. */
  times: number[]
  /** The status of each that did not, which in GraphQL stands for the code of its first error; 0 if there was no answer. */
  failures: number[]
}

/** The status of the codes of errors that are answered with 200 in GraphQL. */
const STATUS_OF: Record<string, number> = { DATABASE_UNAVAILABLE: 503, OVERLOADED: 503, TIMEOUT: 504 }

/** Sends requests one after the other. @returns what became of them */
export async function sendPatiently(url: string, requests: readonly Request[]): Promise<Patient> {
  const result: Patient = { times: [], failures: [] }
  for (const request of requests) await sendOne(url, request, result)
  return result
}

/** Sends requests, again and again, until something is done. @returns what became of them, and what the other returned */
export async function sendMeanwhile<Value>(
  url: string,
  requests: readonly Request[],
  done: Promise<Value>,
): Promise<Patient & { value: Value }> {
  const result: Patient = { times: [], failures: [] }
  const state = { isDone: false }
  const end = done.finally(() => (state.isDone = true))
  end.catch(() => undefined)
  for (let index = 0; !state.isDone; index += 1) {
    const request = requests[index % requests.length]
    if (request) await sendOne(url, request, result)
    await setTimeout(PAUSE_MS)
  }
  return { ...result, value: await end }
}

const PAUSE_MS = 20

async function sendOne(url: string, request: Request, result: Patient): Promise<void> {
  const start = performance.now()
  const status = await readStatus(url, request)
  if (status < 300 && status > 0) result.times.push(performance.now() - start)
  else result.failures.push(status)
}

async function readStatus(url: string, request: Request): Promise<number> {
  const { method, path, body = null } = request
  try {
    const response = await fetch(url + path, { method, headers: headersOf(request), body })
    const text = await response.text()
    const code = /"errors":.*?"code":"(\w+)"/.exec(text)?.[1]
    return code === undefined ? response.status : (STATUS_OF[code] ?? 500)
  } catch {
    return 0
  }
}

/** The median and the longest, or the statuses of failures. */
export function formatTimes({ times, failures }: Patient): string {
  const failed = Map.groupBy(failures, (status) => status)
  const shown = Array.from(failed, ([status, all]) => `${all.length} × ${status || 'no answer'}`)
  if (times.length === 0) return shown.join(', ')
  const format = (milliseconds: number) =>
    milliseconds < 10 ? `${milliseconds.toFixed(1)} ms` : `${Math.round(milliseconds)} ms`
  return [`${format(median(times))} (${format(Math.max(...times))})`, ...shown].join(', ')
}
