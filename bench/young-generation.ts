/** What the size of V8's young generation costs and saves, on this machine and in a container of 1 GB. */
import { existsSync, mkdirSync, rmdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { BenchPostgres } from './data.ts'
import { measurePeak } from './load.ts'
import { createRequests, type Operation, OUR_DIALECT, TITLES } from './operations.ts'
import { readPeakMemory } from './proc.ts'
import { formatCount, formatTable, median, showProgress } from './report.ts'
import type { Settings } from './settings.ts'
import { type Server, startServer } from './servers.ts'

/** Megabytes. */
const SIZES = [8, 16, 24]
const OPERATIONS: readonly Operation[] = ['list100', 'get', 'create']
const GROUP_BYTES = 2 ** 30

interface Variant {
  size: number
  memory: string
  server: Server
  /** Of each operation, one figure per round. */
  figures: Map<Operation, { rates: number[]; p99s: number[] }>
}

/** All servers run at once, and take turns within each round. */
export async function compareYoungGenerations(postgres: BenchPostgres, settings: Settings): Promise<string> {
  const url = await postgres.createFilled(settings.rows)
  await using resources = new AsyncDisposableStack()
  const group = createGroup()
  if (group === null) showProgress('only root can limit the memory of a process: not measured with 1 GB')
  else resources.defer(() => group.remove())
  const variants: Variant[] = []
  for (const memory of group ? ['all of it', '1 GB'] : ['all of it'])
    for (const size of SIZES) {
      const join = memory === '1 GB' && group ? `echo $$ > ${group.processes} && ` : ''
      const edit = (command: string) =>
        join + command.replace(/--max-semi-space-size=\d+/, `--max-semi-space-size=${size}`)
      const server = resources.use(await startServer('ours', { url }, { log: settings.log, edit }))
      const figures = new Map(OPERATIONS.map((operation) => [operation, { rates: [], p99s: [] }]))
      variants.push({ size, memory, server, figures })
    }
  for (let round = 1; round <= settings.rounds; round += 1) {
    for (const operation of OPERATIONS) {
      const requests = createRequests(operation, { rows: settings.rows, seed: round, dialect: OUR_DIALECT })
      for (const { server, figures } of round % 2 === 0 ? variants.toReversed() : variants) {
        await measurePeak(server.url, requests, settings.warmUp)
        const { rate, p99 } = await measurePeak(server.url, requests, settings.seconds)
        figures.get(operation)?.rates.push(rate)
        figures.get(operation)?.p99s.push(p99)
      }
    }
    showProgress(`round ${round} of ${settings.rounds}`)
  }
  return formatTable(
    ['memory', 'semi-space', 'at the peak', ...OPERATIONS.flatMap((operation) => [TITLES[operation], 'p99'])],
    variants.map(({ size, memory, server, figures }) => [
      memory,
      `${size} MB`,
      `${readPeakMemory(server.pid)} MB`,
      ...[...figures.values()].flatMap(({ rates, p99s }) => [
        `${formatCount(median(rates))}/s`,
        `${median(p99s).toFixed(0)} ms`,
      ]),
    ]),
  )
}

/** A control group whose processes have 1 GB, as in a container. @returns null if this user may not create one */
function createGroup(): { processes: string; remove(): void } | null {
  const [first, second] = ['/sys/fs/cgroup/memory', '/sys/fs/cgroup']
  const isFirst = existsSync(first)
  const path = join(isFirst ? first : second, `pet-store-bench-${process.pid}`)
  try {
    mkdirSync(path)
    writeFileSync(join(path, isFirst ? 'memory.limit_in_bytes' : 'memory.max'), String(GROUP_BYTES))
  } catch {
    return null
  }
  return { processes: join(path, 'cgroup.procs'), remove: () => rmdirSync(path) }
}
