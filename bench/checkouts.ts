/** Our server beside that of another checkout, such as the version before a change: what both do in one run, and the ratios. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { BenchPostgres } from './data.ts'
import { measureCosts } from './costs.ts'
import { createRequests, type Operation, OUR_DIALECT, TITLES } from './operations.ts'
import { readPeakMemory, readResidentMemory } from './proc.ts'
import { formatCount, formatTable, median, medianRatio, showProgress } from './report.ts'
import type { Settings } from './settings.ts'
import { type Server, type StartOptions, startServer } from './servers.ts'
import { timeStart } from './start.ts'

/** What is measured of a server, one figure per round. */
type Figures = Map<string, number[]>

interface Checkout {
  title: string
  options: StartOptions
  url: string
  /** Of the embedded database. */
  directory: string
  figures: Figures
}

/** Each round starts both servers anew, since processes of the same program differ, too. */
export async function compareCheckouts(postgres: BenchPostgres, settings: Settings): Promise<string> {
  const { before, log, rows, rounds } = settings
  if (before === null) throw new Error('--before <folder> is missing')
  using resources = new DisposableStack()
  const createDirectory = () => {
    const directory = mkdtempSync(join(tmpdir(), 'pet-store-bench-'))
    resources.defer(() => rmSync(directory, { recursive: true }))
    return directory
  }
  const describe = async (title: string, checkout?: string): Promise<Checkout> => ({
    title,
    options: { log, ...(checkout !== undefined && { checkout }) },
    url: await postgres.createFilled(rows, checkout === undefined ? {} : { checkout }),
    directory: createDirectory(),
    figures: new Map(),
  })
  const checkouts = [await describe('before', before), await describe('now')]
  for (const { directory, options } of checkouts) await timeStart({ directory }, options)
  for (let round = 1; round <= rounds; round += 1) {
    const turn = round % 2 === 0 ? checkouts.toReversed() : checkouts
    await measureRound(turn, round, settings)
    showProgress(`round ${round} of ${rounds}`)
  }
  return report(checkouts)
}

async function measureRound(turn: readonly Checkout[], round: number, settings: Settings): Promise<void> {
  for (const { directory, options, figures } of turn)
    record(figures, 'start to first answer, embedded: s', await timeStart({ directory }, options))
  await using resources = new AsyncDisposableStack()
  const servers: [Server, Figures][] = []
  for (const { title, url, options, figures } of turn) {
    record(figures, 'start to first answer, Postgres: s', await timeStart({ url }, options))
    const server = resources.use(await startServer('ours', { url }, options))
    showProgress(`round ${round}, ${title}: ${server.url}`)
    record(figures, 'memory before the first request: MB', readResidentMemory(server.pid))
    servers.push([server, figures])
  }
  for (const operation of settings.operations)
    for (const [server, figures] of servers)
      for (const connections of settings.connections)
        await measureOperation(server, figures, operation, connections, round, settings)
  for (const [server, figures] of servers)
    record(figures, 'peak of memory under load: MB', readPeakMemory(server.pid))
}

async function measureOperation(
  { pid, url }: Server,
  figures: Figures,
  operation: Operation,
  connections: number,
  seed: number,
  settings: Settings,
): Promise<void> {
  const requests = createRequests(operation, { rows: settings.rows, seed, dialect: OUR_DIALECT })
  const { rate, p99, costs } = await measureCosts(url, requests, [pid], settings, connections)
  const what = `${TITLES[operation]}, ${connections} connections`
  record(figures, `${what}: requests/s`, rate)
  record(figures, `${what}: p99 of these, ms`, p99)
  record(figures, `${what}: µs of CPU time`, costs[0] ?? NaN)
}

function report(checkouts: readonly Checkout[]): string {
  const [before, now] = checkouts.map(({ figures }) => figures)
  const rows = [...(before ?? [])].map(([what, values]) => {
    const others = now?.get(what) ?? []
    const format = (figure: number) => (figure < 10 ? figure.toFixed(2) : formatCount(figure))
    return [
      what,
      format(median(values)),
      format(median(others)),
      `${medianRatio(others, values).toFixed(3)} ×`,
    ]
  })
  return formatTable(['measured', 'before', 'now', 'now / before'], rows)
}

function record(figures: Figures, what: string, value: number): void {
  figures.set(what, [...(figures.get(what) ?? []), value])
}
