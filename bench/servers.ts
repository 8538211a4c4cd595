/** Starts and ends the servers that are measured, each a process of its own. */
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

/** The top of the project. */
const TOP = join(import.meta.dirname, '..')

const running = new Set<ChildProcess>()
// However this process ends, they are not to outlive it.
process.on('exit', () => running.forEach((child) => child.kill()))

/**
 * Starts a server as in production, and waits until it says that it is ready.
 * @param database a Postgres URL, or for our server the directory of an embedded database
 * @param log the file that takes its log; /dev/null costs it the same calls and the disk nothing
 */
export async function startServer(
  name: ContenderName,
  database: { url: string } | { directory: string },
  log = '/dev/null',
): Promise<Server> {
  const contender: Contender = CONTENDERS[name]
  const logFile = openSync(log, 'a')
  const [program, ...args] = contender.command
  const child = spawn(program, args, {
    cwd: TOP,
    env: {
      // The Node of this process is everyone's.
      PATH: [dirname(process.execPath), process.env.PATH].join(delimiter),
      NODE_ENV: 'production',
      GRAPHILE_ENV: 'production',
      HOST: '127.0.0.1',
      PORT: '0',
      API_KEYS: `bench:${API_KEY}`,
      ...('url' in database ? { DATABASE_URL: database.url } : { DATA_DIR: database.directory }),
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
    throw new Error(`${contender.title} did not start; --log <file> keeps what it says`)
  }
  return {
    name,
    contender,
    url,
    pid: child.pid,
    dialect: (await contender.readDialect?.(url)) ?? OUR_DIALECT,
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM')
      // Not every peer ends while connections are open.
      const timer = setTimeout(() => child.kill('SIGKILL'), 3_000)
      await exit
      clearTimeout(timer)
    },
  }
}
