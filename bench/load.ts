/**
 * Sends as many requests as a server can answer, over 64 connections, with wrk if it is installed and otherwise with autocannon.
 */
import { execFile, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import autocannon from 'autocannon'
import type { Request } from './operations.ts'
import { headersOf, KEY_DIGITS, KEY_PLACEHOLDER } from './send.ts'

/** How many clients there are unless the command line says otherwise. */
export const CONNECTIONS = 64

export interface Peak {
  requests: number
  /** Requests per second. */
  rate: number
  /** Milliseconds. */
  p50: number
  p99: number
}

interface Outcome extends Peak {
  /** Non-2xx responses. */
  failures: number
  /** Requests without a response, because a connection failed or 10 seconds passed. */
  losses: number
}

const hasWrk = spawnSync('wrk', ['-v']).error === undefined

export const LOAD_TOOL = hasWrk ? 'wrk' : 'autocannon'

/** How often a measurement is repeated without any response, or with a loss: the machine may have stalled that long. */
const RETRIES = 3

/** @throws Error if any response was missing or not 2xx */
export async function measurePeak(
  url: string,
  requests: readonly Request[],
  seconds: number,
  { connections = CONNECTIONS, retries = RETRIES } = {},
): Promise<Peak> {
  const run = hasWrk ? runWrk : runAutocannon
  const { failures, losses, ...peak } = await run(url, requests, seconds, connections)
  if (failures === 0 && losses === 0 && peak.requests > 0) return peak
  const example = JSON.stringify(requests[0])
  const message = `of ${peak.requests} requests like ${example}, ${failures} got a non-2xx response and ${losses} got none`
  if (failures > 0 || retries === 0) throw new Error(message)
  process.stderr.write(`  ${message}: measured again\n`)
  return measurePeak(url, requests, seconds, { connections, retries: retries - 1 })
}

async function runWrk(
  url: string,
  requests: readonly Request[],
  seconds: number,
  connections: number,
): Promise<Outcome> {
  const directory = mkdtempSync(join(tmpdir(), 'pet-store-bench-'))
  try {
    const list = join(directory, 'requests.txt')
    writeFileSync(list, requests.map(({ method, path, body = '' }) => `${method} ${path} ${body}\n`).join(''))
    const script = join(directory, 'requests.lua')
    writeFileSync(script, writeScript(list, requests[0] ?? { method: 'GET', path: '/' }))
    const { stdout } = await promisify(execFile)('wrk', [
      ...['-t', '1', '-c', String(connections), '-d', `${seconds}s`, '--timeout', '10s', '-s', script, url],
    ])
    const [, count, micros, p50, p99, failures, losses] = (
      /^RESULT (\S+) (\S+) (\S+) (\S+) (\S+) (\S+)$/m.exec(stdout) ?? []
    ).map(Number)
    if (
      count === undefined ||
      !micros ||
      p50 === undefined ||
      p99 === undefined ||
      failures === undefined ||
      losses === undefined
    ) {
      throw new Error(`unexpected output from wrk:\n${stdout}`)
    }
    return { requests: count, rate: (count / micros) * 1e6, p50: p50 / 1e3, p99: p99 / 1e3, failures, losses }
  } finally {
    rmSync(directory, { recursive: true })
  }
}

/** A wrk script that builds all requests before the load starts, so that wrk only has to send them in order. */
function writeScript(list: string, first: Request): string {
  const quoted = Object.entries(headersOf(first, KEY_PLACEHOLDER)).map(
    ([name, value]) => `wrk.headers[${quote(name)}] = ${quote(value)}`,
  )
  return `
${quoted.join('\n')}
local requests = {}
local last = 0
function init()
  for line in io.lines(${quote(list)}) do
    local method, path, body = line:match('^(%S+) (%S+) (.*)$')
    requests[#requests + 1] = wrk.format(method, path, nil, body ~= '' and body or nil)
  end
end
function request()
  last = last % #requests + 1
  ${first.isOnce ? `return (requests[last]:gsub('${KEY_PLACEHOLDER}', nextKey, 1))` : 'return requests[last]'}
end
local used = ${Date.now()} * 1000
function nextKey()
  used = used + 1
  return string.format('KEY%0${KEY_DIGITS}.0f', used)
end
function done(summary, latency)
  local errors = summary.errors
  local losses = errors.connect + errors.read + errors.write + errors.timeout
  print(string.format('RESULT %d %d %d %d %d %d', summary.requests, summary.duration,
    latency:percentile(50), latency:percentile(99), errors.status, losses))
end
`
}

/** JSON strings without escapes are valid Lua strings. */
function quote(text: string): string {
  return JSON.stringify(text)
}

async function runAutocannon(
  url: string,
  requests: readonly Request[],
  seconds: number,
  connections: number,
): Promise<Outcome> {
  let last = -1
  const result = await autocannon({
    url,
    connections,
    duration: seconds,
    requests: [
      {
        // All connections share one position in the list; otherwise each would begin at its start.
        setupRequest: (template) => {
          last = (last + 1) % requests.length
          const request = requests[last]
          return request ? { ...template, ...request, headers: headersOf(request) } : template
        },
      },
    ],
  })
  return {
    requests: result.requests.total,
    rate: result.requests.total / result.duration,
    p50: result.latency.p50,
    p99: result.latency.p99,
    failures: result.non2xx,
    losses: result.errors,
  }
}
