/** The benchmark's command line. */
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { compareCheckouts } from './checkouts.ts'
import { CONTENDER_NAMES } from './contenders.ts'
import { type BenchPostgres, SHARED_BUFFERS, startBenchPostgres } from './data.ts'
import { measureLeftovers } from './leftovers.ts'
import { CONNECTIONS } from './load.ts'
import { measureMemory } from './memory.ts'
import { OPERATIONS } from './operations.ts'
import { profileServer } from './profile.ts'
import { describeRun, describeSetting, findSection, saveSection } from './report.ts'
import { measureScale } from './scale.ts'
import { measureRolling } from './rolling.ts'
import type { Settings } from './settings.ts'
import { measureTelemetryCost } from './telemetry-cost.ts'
import { measureSoak } from './soak.ts'
import { measureSize } from './size.ts'
import { measureStandbys } from './standbys.ts'
import { measureStart } from './start.ts'
import { measureSubscribers } from './subscribers.ts'
import { compareThroughput } from './throughput.ts'
import { compareYoungGenerations } from './young-generation.ts'

type Measure = (postgres: BenchPostgres, settings: Settings) => Promise<string>

const COMMANDS = {
  throughput: compareThroughput,
  start: measureStart,
  memory: measureMemory,
  checkouts: compareCheckouts,
  scale: measureScale,
  telemetry: measureTelemetryCost,
  standbys: measureStandbys,
  subscribers: measureSubscribers,
  rolling: measureRolling,
  size: measureSize,
  soak: measureSoak,
  leftovers: measureLeftovers,
  profile: profileServer,
  'young-generation': compareYoungGenerations,
} satisfies Record<string, Measure>
type Command = keyof typeof COMMANDS
const COMMAND_NAMES = Object.keys(COMMANDS) as Command[]

const USAGE = `Usage: npm run bench -- [command] [options]

Commands:
  throughput           requests per second of our server and its peers, and CPU time (default)
  start                time from the start of our server to its first answer
  memory               memory of our server under load, over 400,000 requests
  checkouts            our server beside that of another checkout, given by --before
  scale                cost of a request with 10,000,000 pets, compared with 10,000; a cold table; import, export, a new index
  telemetry            what metrics and traces cost
  standbys             what a standby takes from the primary
  subscribers          memory and CPU time of 10,000 subscribers, beside a hand-written server
  rolling              a rolling restart of two servers with 5,000 subscribers each
  soak                 two servers for 90 minutes, with restarts of Postgres and of a server, and new keys
  size                 disk space of a pet, with its indexes; time of an export and an import
  leftovers            what a million idempotency keys, a thousand API keys and dead rows cost
  profile              where the CPU time of our server goes
  young-generation     memory, requests per second and p99 with our size of V8's young generation, and with V8's
  all                  everything in bench/README.md, except soak

Options:
  --rows <n>           number of pets (1000000; for scale, of the larger table: 10000000)
  --rounds <n>         number of rounds (5; for throughput: 3)
  --minutes <n>        of a soak (90)
  --seconds <n>        seconds per measurement (2)
  --warm-up <n>        seconds of load before each measurement (1)
  --connections <n,n>  numbers of clients (${CONNECTIONS}; for throughput: ${CONNECTIONS},8)
  --servers <names>    only these, besides ours: ${CONTENDER_NAMES.join(',')}
  --operations <names> only these: ${OPERATIONS.join(',')}
  --shared-buffers <n> shared_buffers of Postgres (a quarter of the memory: ${SHARED_BUFFERS})
  --before <folder>    another checkout of this project, after npm ci and npm run build
  --runs <folder>      keep the throughput of this run there, and report on all runs in the folder
  --log <file>         where the servers' logs go (/dev/null)
  --save               write the tables to bench/README.md
  -h, --help           print this help`

const { values, positionals } = readArguments()
if (values.help) {
  console.log(USAGE)
} else {
  // All arguments are checked before anything is started.
  await run(readCommands().map((name) => ({ name, settings: readSettings(name) })))
}

async function run(commands: readonly { name: Command; settings: Settings }[]): Promise<void> {
  await using resources = new AsyncDisposableStack()
  // Child processes must not outlive this one.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => void resources.disposeAsync().finally(() => process.exit(1)))
  }
  for (const { name, settings } of commands) {
    const postgres = resources.use(await startBenchPostgres(values['shared-buffers']))
    const table = await COMMANDS[name](postgres, settings)
    await postgres[Symbol.asyncDispose]()
    const setting = describeSetting(postgres.version)
    console.log(`\n${table}\n\n${setting}\n`)
    // One machine measures the whole page, and its first table says which.
    if (values.save) saveSection(name, `${table}\n\n${name === 'throughput' ? setting : describeRun()}`)
  }
}

function readArguments() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        rows: { type: 'string' },
        rounds: { type: 'string' },
        minutes: { type: 'string', default: '90' },
        seconds: { type: 'string', default: '2' },
        'warm-up': { type: 'string', default: '1' },
        connections: { type: 'string' },
        servers: { type: 'string', default: CONTENDER_NAMES.join(',') },
        operations: { type: 'string', default: OPERATIONS.join(',') },
        'shared-buffers': { type: 'string', default: SHARED_BUFFERS },
        before: { type: 'string' },
        runs: { type: 'string' },
        log: { type: 'string', default: '/dev/null' },
        save: { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
      },
    })
  } catch (error) {
    return fail(error instanceof Error ? error.message : String(error))
  }
}

function readCommands(): readonly Command[] {
  const [command = 'throughput', ...rest] = positionals
  if (command === 'all') return COMMAND_NAMES.filter((name) => name !== 'soak' && findSection(name))
  const known = COMMAND_NAMES.find((name) => name === command)
  if (!known || rest.length > 0) return fail(`Unknown command: ${positionals.join(' ')}`)
  // Before the measurement, which takes minutes.
  if (values.save && !findSection(known)) fail(`bench/README.md has no place for ${known}`)
  if (known === 'checkouts' && values.before === undefined) fail('checkouts needs --before')
  return [known]
}

function readSettings(command: Command): Settings {
  const isThroughput = command === 'throughput'
  const connections = values.connections ?? (isThroughput ? `${CONNECTIONS},8` : String(CONNECTIONS))
  return {
    rows: readCount('rows', values.rows ?? (command === 'scale' ? '10000000' : '1000000')),
    rounds: readCount('rounds', values.rounds ?? (isThroughput ? '3' : '5')),
    minutes: readCount('minutes', values.minutes),
    seconds: readCount('seconds', values.seconds),
    warmUp: readCount('warm-up', values['warm-up']),
    connections: connections.split(',').map((count) => readCount('connections', count)),
    servers: readNames('servers', `ours,${values.servers}`, CONTENDER_NAMES),
    operations: readNames('operations', values.operations, OPERATIONS),
    before: values.before === undefined ? null : resolve(values.before),
    runs: values.runs === undefined ? null : resolve(values.runs),
    log: values.log,
  }
}

function readCount(option: string, text: string): number {
  return /^[1-9]\d{0,8}$/.test(text) ? Number(text) : fail(`--${option} must be a positive integer`)
}

/** Returns the names in their own order, not in the order given. */
function readNames<Name extends string>(option: string, text: string, known: readonly Name[]): Name[] {
  const names = text.split(',')
  const unknown = names.filter((name) => !known.some((candidate) => candidate === name))
  if (unknown.length > 0) fail(`--${option}: unknown ${unknown.join(', ')}`)
  return known.filter((name) => names.includes(name))
}

function fail(message: string): never {
  console.error(`${message}\n\n${USAGE}`)
  process.exit(1)
}
