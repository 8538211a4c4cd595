/** PgBouncer in transaction mode, otherwise with its defaults. */
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { findFreePort } from './free-port.ts'
import { giveToPostgres, runAs } from './postgres.ts'

const PROGRAM = process.env.PGBOUNCER || '/usr/sbin/pgbouncer'
/** vitest.config.ts says so when it is missing. */
export const hasPgbouncer = existsSync(PROGRAM)
/** Settings for prepared statements, which it tracks since version 1.21; null if it is older. */
export const PREPARED_STATEMENTS =
  hasPgbouncer && followsPreparedStatements() ? { max_prepared_statements: '500' } : null

function followsPreparedStatements(): boolean {
  const version = execFileSync(PROGRAM, ['--version'], { encoding: 'utf8' })
  const [, major = 0, minor = 0] = /(\d+)\.(\d+)/.exec(version)?.map(Number) ?? []
  return major > 1 || minor >= 21
}

export interface TestPooler {
  /** Turns the URL of a database into one through the pooler, with prepared statements if that has a setting for them. */
  toUrl(databaseUrl: string): string
  /** From now on, the name of one database leads to another one of the same Postgres; open connections follow. */
  redirect(databaseUrl: string, otherUrl: string): void
  /** Ends it, which closes every connection, and starts it again at the same port. */
  restart(): Promise<void>
  remove(): Promise<void>
}

/**
 * @param postgresUrl the URL of the Postgres behind it
 * @param settings as in pgbouncer.ini
 * @param user of the connections to Postgres
 */
export async function startPgbouncer(
  postgresUrl: string,
  settings: Record<string, string> = {},
  user = 'postgres',
): Promise<TestPooler> {
  const directory = mkdtempSync(join(tmpdir(), 'pet-store-pgbouncer-'))
  giveToPostgres(directory)
  const port = await findFreePort()
  const { hostname, port: postgresPort } = new URL(postgresUrl)
  const allSettings = {
    listen_addr: '127.0.0.1',
    listen_port: String(port),
    unix_socket_dir: '',
    auth_type: 'any',
    pool_mode: 'transaction',
    ...settings,
  }
  const lines = Object.entries(allSettings).map(([name, value]) => `${name} = ${value}`)
  const config = join(directory, 'pgbouncer.ini')
  const target = `host=${hostname} port=${postgresPort} user=${user}`
  const configure = (...databases: string[]) =>
    writeFileSync(
      config,
      `[databases]\n${[...databases, `* = ${target}`].join('\n')}\n[pgbouncer]\n${lines.join('\n')}\n`,
    )
  configure()
  let pooler = await startProcess(config)
  const stop = async () => {
    const exit = once(pooler, 'exit')
    pooler.kill('SIGINT')
    await exit
  }
  return {
    toUrl(databaseUrl) {
      const url = new URL(databaseUrl)
      url.port = String(port)
      url.searchParams.set('pooler', 'transaction')
      if ('max_prepared_statements' in settings) url.searchParams.set('prepare', 'true')
      return url.href
    },
    redirect(databaseUrl, otherUrl) {
      const [name, other] = [databaseUrl, otherUrl].map((url) => new URL(url).pathname.slice(1))
      configure(`${name} = ${target} dbname=${other}`)
      pooler.kill('SIGHUP')
    },
    async restart() {
      await stop()
      pooler = await startProcess(config)
    },
    async remove() {
      await stop()
      rmSync(directory, { recursive: true, force: true })
    },
  }
}

async function startProcess(config: string): Promise<ChildProcess> {
  const pooler = spawn(PROGRAM, [config], { ...runAs, stdio: ['ignore', 'ignore', 'pipe'] })
  await new Promise<void>((resolve, reject) => {
    let log = ''
    pooler.stderr.on('data', (chunk: Buffer) => {
      log += chunk.toString()
      if (log.includes('process up')) resolve()
    })
    pooler.once('exit', () => reject(new Error(`PgBouncer did not start:\n${log}`)))
  })
  return pooler
}
