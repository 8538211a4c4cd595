/** Starts and stops the servers that are measured, each in its own process. */
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync } from 'node:fs'
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

/** The root of the project. */
const TOP = join(import.meta.dirname, '..')

const running = new Set<ChildProcess>()
// The servers must not outlive this process, however it ends.
process.on('exit', () => running.forEach((child) => child.kill()))

/**
 * Starts a server as in production, and waits for its ready line.
 * @param database a Postgres URL, or for our server the directory of an embedded database
 * @param log the file that its log goes to; with /dev/null it makes the same calls without writing to the disk
 * @param env further variables
 */
export async function startServer(
  name: ContenderName,
  database: { url: string } | { directory: string },
  log = '/dev/null',
  env: Record<string, string> = {},
): Promise<Server> {
  const contender: Contender = CONTENDERS[name]
  const logFile = openSync(log, 'a')
  const [program, ...args] = contender.command
  const child = spawn(program, args, {
    cwd: TOP,
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
      // Some peers do not exit while connections are open.
      const timer = setTimeout(() => child.kill('SIGKILL'), 3_000)
      await exit
      clearTimeout(timer)
    },
  }
}
