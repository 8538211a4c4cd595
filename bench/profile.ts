/** Where our server's CPU time goes: by package, and by folder of our own code. */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { SourceMap, type SourceMapPayload } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { BenchPostgres } from './data.ts'
import { measurePeak } from './load.ts'
import { createRequests, type Operation, OUR_DIALECT, TITLES } from './operations.ts'
import { formatTable, showProgress } from './report.ts'
import type { Settings } from './settings.ts'
import { startServer } from './servers.ts'

const MEASURED: readonly Operation[] = ['get', 'list100', 'graphqlList']
/** Seconds under load. */
const DURATION = 8
/** The smallest share that is reported. */
const MIN_SHARE = 0.02

/** What V8 writes (https://chromedevtools.github.io/devtools-protocol/tot/Profiler/#type-Profile), as far as it is read here. */
interface Profile {
  nodes: { id: number; callFrame: CallFrame }[]
  samples: number[]
  /** Microseconds. */
  timeDeltas: number[]
}

interface CallFrame {
  functionName: string
  url: string
  lineNumber: number
  columnNumber: number
}

export async function profileServer(postgres: BenchPostgres, settings: Settings): Promise<string> {
  const url = await postgres.createFilled(settings.rows)
  const operations = settings.operations.filter((name) => MEASURED.includes(name))
  const shares: Map<string, number>[] = []
  for (const operation of operations) {
    showProgress(`profiling ${operation}`)
    shares.push(await profile(url, operation, settings))
  }
  const parts = [...new Set(shares.flatMap((each) => [...each.keys()]))]
    .map((part) => ({ part, values: shares.map((each) => each.get(part) ?? 0) }))
    .filter(({ values }) => values.some((share) => share >= MIN_SHARE))
    .sort((a, b) => Math.max(...b.values) - Math.max(...a.values))
  return formatTable(
    ['share of the CPU time', ...operations.map((operation) => TITLES[operation])],
    parts.map(({ part, values }) => [part, ...values.map((share) => `${Math.round(share * 100)} %`)]),
  )
}

/** @returns the share of the time in which the event loop was busy, by part of the program */
async function profile(
  url: string,
  operation: Operation,
  { rows, log, warmUp }: Settings,
): Promise<Map<string, number>> {
  const directory = mkdtempSync(join(tmpdir(), 'pet-store-bench-'))
  try {
    const edit = (command: string) =>
      command.replace('exec node', `exec node --cpu-prof --cpu-prof-dir=${directory}`)
    const server = await startServer('ours', { url }, { log, edit })
    try {
      const requests = createRequests(operation, { rows, seed: 1, dialect: OUR_DIALECT })
      await measurePeak(server.url, requests, warmUp)
      await measurePeak(server.url, requests, DURATION)
    } finally {
      await server[Symbol.asyncDispose]()
    }
    return addUp(readLargest(directory))
  } finally {
    rmSync(directory, { recursive: true })
  }
}

/** The profile of the main thread, which has done the most. */
function readLargest(directory: string): Profile {
  const profiles = readdirSync(directory).map(
    (file) => JSON.parse(readFileSync(join(directory, file), 'utf8')) as Profile,
  )
  const [largest] = profiles.toSorted((a, b) => b.samples.length - a.samples.length)
  if (!largest) throw new Error('Node wrote no profile')
  return largest
}

function addUp({ nodes, samples, timeDeltas }: Profile): Map<string, number> {
  const partOf = createClassifier()
  const parts = new Map(nodes.map(({ id, callFrame }) => [id, partOf(callFrame)]))
  const times = new Map<string, number>()
  let total = 0
  for (const [index, id] of samples.entries()) {
    const part = parts.get(id)
    if (part == null) continue
    const time = timeDeltas[index] ?? 0
    total += time
    times.set(part, (times.get(part) ?? 0) + time)
  }
  return new Map([...times].map(([part, time]) => [part, time / total]))
}

/** @returns a function that names the part to which a function belongs; null: the process is idle */
function createClassifier(): (frame: CallFrame) => string | null {
  const maps = new Map<string, SourceMap | null>()
  const mapOf = (file: string) => {
    const known = maps.get(file)
    if (known !== undefined) return known
    const path = `${file}.map`
    const map = existsSync(path)
      ? new SourceMap(JSON.parse(readFileSync(path, 'utf8')) as SourceMapPayload)
      : null
    maps.set(file, map)
    return map
  }
  return ({ functionName, url, lineNumber, columnNumber }) => {
    if (functionName === '(idle)') return null
    if (functionName === '(garbage collector)') return 'garbage collection'
    if (/^write/.test(functionName) && url === '') return 'writing to sockets'
    if (url === '') return 'native code of Node and V8'
    if (!url.startsWith('file:')) return "Node's libraries"
    const entry = mapOf(fileURLToPath(url))?.findEntry(lineNumber, columnNumber)
    const source = entry && 'originalSource' in entry ? entry.originalSource : url
    const [, name] = /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(source) ?? []
    const [, folder] = /\/(src(?:\/[^/]+)*)\/[^/]+$/.exec(source) ?? []
    return name ?? folder ?? 'other code'
  }
}
