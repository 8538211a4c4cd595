/** What our size of V8's young generation saves, compared with V8's own choice: on this machine, and in containers that have less memory. */
import { existsSync, mkdirSync, rmdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { BenchPostgres } from './data.ts'
import { measurePeak } from './load.ts'
import { createRequests, type Operation, OUR_DIALECT, TITLES } from './operations.ts'
import { readPeakMemory } from './proc.ts'
import { formatCount, formatTable, median, showProgress } from './report.ts'
import type { Settings } from './settings.ts'
import { type Server, startServer } from './servers.ts'

const OPERATIONS: readonly Operation[] = ['list100', 'get', 'create']
/** Megabytes; null: all of the machine's. */
const MEMORIES = [null, 1_024, 512]

interface Variant {
  /** Megabytes of the container; null: there is none. */
  memory: number | null
  /** Whether V8 chooses the size. */
  isDefault: boolean
  server: Server
  /** Of each operation, one figure per round. */
  figures: Map<Operation, { rates: number[]; p99s: number[] }>
}

/** All servers run at once, and take turns within each round. */
export async function compareYoungGenerations(postgres: BenchPostgres, settings: Settings): Promise<string> {
  const url = await postgres.createFilled(settings.rows)
  await using resources = new AsyncDisposableStack()
  const variants: Variant[] = []
  for (const memory of MEMORIES) {
    const group = memory === null ? null : createGroup(memory)
    if (memory !== null && !group) {
      showProgress('only root can limit the memory of a process: measured without')
      break
    }
    if (group) resources.defer(() => group.remove())
    for (const isDefault of [true, false]) {
      const edit = (command: string) =>
        (group ? `echo $$ > ${group.processes} && ` : '') + (isDefault ? withoutSize(command) : command)
      const server = resources.use(await startServer('ours', { url }, { log: settings.log, edit }))
      const figures = new Map(OPERATIONS.map((operation) => [operation, { rates: [], p99s: [] }]))
      variants.push({ memory, isDefault, server, figures })
    }
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
    [
      'memory',
      'young generation',
      'at the peak',
      ...OPERATIONS.flatMap((operation) => [TITLES[operation], 'p99']),
    ],
    variants.map(({ memory, isDefault, server, figures }) => [
      memory === null ? 'all of it' : `${memory} MB`,
      isDefault ? "V8's choice" : 'ours',
      `${readPeakMemory(server.pid)} MB`,
      ...[...figures.values()].flatMap(({ rates, p99s }) => [
        `${formatCount(median(rates))}/s`,
        `${median(p99s).toFixed(0)} ms`,
      ]),
    ]),
  )
}

/** Runs the bundle: `bin/petstore.js` would start it again with our options. */
function withoutSize(command: string): string {
  return command.replace(/--max-semi-space-size=\d+/, '').replace('bin/petstore.js', 'dist/main.js')
}

/** A control group whose processes have so many megabytes, as in a container. @returns null if this user may not create one */
function createGroup(memory: number): { processes: string; remove(): void } | null {
  const [first, second] = ['/sys/fs/cgroup/memory', '/sys/fs/cgroup']
  const isFirst = existsSync(first)
  const path = join(isFirst ? first : second, `pet-store-bench-${process.pid}-${memory}`)
  try {
    mkdirSync(path)
    writeFileSync(join(path, isFirst ? 'memory.limit_in_bytes' : 'memory.max'), String(memory * 2 ** 20))
  } catch {
    return null
  }
  return { processes: join(path, 'cgroup.procs'), remove: () => rmdirSync(path) }
}
