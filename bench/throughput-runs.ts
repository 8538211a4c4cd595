/** The figures of several runs of the throughput, and the table of them. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Contender, type ContenderName, CONTENDERS } from './contenders.ts'
import { type Operation, TITLES } from './operations.ts'
import { formatCount, formatGoal, formatTable, median, medianRatio } from './report.ts'

/** Each list has one figure for each round. */
export interface Measured {
  /** Requests per second. */
  rates: number[]
  /** Microseconds of CPU time of a request, in the server and in Postgres. */
  costs: number[]
  postgresCosts: number[]
}

export interface Result {
  operation: Operation
  server: ContenderName
  /** With each number of connections of the run. */
  measured: Measured[]
}

export interface Run {
  version: string
  /** When it ended, as in ISO 8601. */
  time: string
  connections: number[]
  results: Result[]
}

/** Writes a run to a folder. @returns all runs there @throws Error if one of them is of another version */
export function keepRun(run: Run, folder: string): Run[] {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, `${run.time.replaceAll(':', '.')}.json`), JSON.stringify(run))
  const files = readdirSync(folder).filter((file) => file.endsWith('.json'))
  const runs = files.toSorted().map((file) => JSON.parse(readFileSync(join(folder, file), 'utf8')) as Run)
  const other = runs.find(({ version }) => version !== run.version)
  if (other) throw new Error(`${folder} has a run of ${other.version}, and this one is of ${run.version}`)
  return runs
}

/** The figures that are not ratios are for the first number of connections, and so are most goals. */
export function reportRuns(runs: readonly Run[]): string {
  const { connections = [], results = [] } = runs[0] ?? {}
  const header = [
    ...['operation', 'server', 'requests/s', 'CPU time', 'in Postgres'],
    ...connections.map((count, index) => (index === 0 ? `ours / theirs, ${count}` : `with ${count}`)),
    'goal',
  ]
  const rows = results.map(({ operation, server }) => {
    const { title, targets, isGoalForEach = false }: Contender = CONTENDERS[server]
    const medianOf = (figure: keyof Measured) =>
      median(runs.map((run) => median(findMeasured(run, operation, server, 0)[figure])))
    const ratios = connections.map((_, index) => ratiosOf(runs, operation, server, index))
    const target = targets[operation]
    const reached = ratios.slice(0, isGoalForEach ? undefined : 1).map(median)
    return [
      TITLES[operation],
      title,
      formatCount(medianOf('rates')),
      `${Math.round(medianOf('costs'))} µs`,
      `${Math.round(medianOf('postgresCosts'))} µs`,
      ...ratios.map((values) => (server === 'ours' ? '' : formatRatios(values))),
      target === undefined ? '' : formatGoal(Math.min(...reached), '≥', target),
    ]
  })
  const times = runs.map(({ time }) => time.slice(11, 16)).join(', ')
  return `${formatTable(header, rows)}\n\n${runs.length === 1 ? 'One run, at' : 'Medians of the runs at'} ${times} UTC.`
}

/** How our requests per second compare in each run: the median of the ratios within each round. */
function ratiosOf(
  runs: readonly Run[],
  operation: Operation,
  server: ContenderName,
  index: number,
): number[] {
  return runs.map((run) =>
    medianRatio(
      findMeasured(run, operation, 'ours', index).rates,
      findMeasured(run, operation, server, index).rates,
    ),
  )
}

function findMeasured(run: Run, operation: Operation, server: ContenderName, index: number): Measured {
  const found = run.results.find((result) => result.operation === operation && result.server === server)
  const measured = found?.measured[index]
  if (!measured) throw new Error(`the run of ${run.time} lacks ${operation} of ${server}`)
  return measured
}

/** The median, and of several, the range. */
function formatRatios(ratios: readonly number[]): string {
  const middle = `${median(ratios).toFixed(2)} ×`
  if (ratios.length === 1) return middle
  return `${middle} (${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)})`
}
