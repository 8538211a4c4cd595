/** Starts and stops the servers that are measured, each in its own process. */
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { type Contender, type ContenderName, CONTENDERS } from './contenders.ts'
import { type Dialect, OUR_DIALECT } from './operations.ts'
import { API_KEY } from './send.ts'

export interface Server extends AsyncDisposable {
  name: ContenderName
  contender: Contender
  url: string
  pid: number
  dialect: Dialect
}

/** The root of this checkout. */
const TOP = join(import.meta.dirname, '..')

/** A Postgres, or for our server the directory of an embedded database. */
export type Database = { url: string } | { directory: string }

export interface StartOptions {
  /** The file that its log goes to; with /dev/null, the default, it makes the same calls without writing to the disk. */
  log?: string
  /** Further variables. */
  env?: Record<string, string>
  /** The root of the checkout that our server runs from; this one if absent. */
  checkout?: string
  /** What is changed in the shell command of our server. */
  edit?: (command: string) => string
}

const running = new Set<ChildProcess>()
// The servers must not outlive this process, however it ends.
process.on('exit', () => running.forEach((child) => child.kill()))

/** Starts a server as in production, and waits for its ready line. */
export async function startServer(
  name: ContenderName,
  database: Database,
  { log = '/dev/null', env = {}, checkout = TOP, edit = (command) => command }: StartOptions = {},
): Promise<Server> {
  const contender: Contender = CONTENDERS[name]
  const logFile = openSync(log, 'a')
  const [program, ...args] = contender.command ?? ['sh', '-c', edit(readStartCommand(checkout))]
  const child = spawn(program, args, {
    cwd: checkout,
    env: {
      // All servers run on this process's Node.
      PATH: [dirname(process.execPath), process.env.PATH].join(delimiter),
      NODE_ENV: 'production',
      GRAPHILE_ENV: 'production',
      HOST: '127.0.0.1',
      PORT: '0',
      API_KEYS: `bench:${API_KEY}`,
      ...('url' in database ? { DATABASE_URL: database.url } : { DATA_DIR: database.directory }),
      ...env,
    },
    stdio: ['ignore', 'pipe', logFile],
  })
  closeSync(logFile)
  const { stdout } = child
  assert(stdout)
  running.add(child)
  const exit = once(child, 'exit').finally(() => running.delete(child))
  const ready = new Promise<string>((resolve) => {
    createInterface({ input: stdout }).on('line', (line) => {
      const url = /ready.*(http:\S+)/.exec(line)?.[1]
      if (url !== undefined) resolve(url)
    })
  })
  const url = await Promise.race([ready, exit.then(() => null)])
  if (url === null || child.pid === undefined) {
    throw new Error(`${contender.title} did not start; see its log with --log <file>`)
  }
  return {
    name,
    contender,
    url,
    pid: child.pid,
    dialect: (await contender.readDialect?.(url)) ?? OUR_DIALECT,
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM')
      // Some peers do not exit while connections are open; ours takes up to 10 seconds.
      const timer = setTimeout(() => child.kill('SIGKILL'), name === 'ours' ? 12_000 : 3_000)
      await exit
      clearTimeout(timer)
    },
  }
}

/** What `npm start` runs. */
function readStartCommand(checkout: string): string {
  const manifest = readFileSync(join(checkout, 'package.json'), 'utf8')
  const { scripts } = JSON.parse(manifest) as { scripts: { start: string } }
  return scripts.start
}
