/** The program in its own process, with an environment and signals. */
import { type ChildProcess, spawn, type SpawnOptions } from 'node:child_process'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface, type Interface } from 'node:readline'
import { setTimeout } from 'node:timers/promises'

export const ROOT = join(import.meta.dirname, '..', '..')

export interface Program {
  child: ChildProcess
  /** Its output so far. */
  stdout: string[]
  stderr: string[]
  /** Resolves with the base URL when the program listens, which may be long before it is ready. */
  listening: Promise<string>
  /** Resolves with the base URL when the program says that it is ready; both reject if it ends before. */
  ready: Promise<string>
  /** Resolves with the exit code, or with the name of the signal that ended it. */
  ended: Promise<number | string>
}

/** Only what Node and npm need, since Vitest sets its own BASE_URL. */
const { PATH, HOME } = process.env
/** Running programs, with the function that ends each. */
const running = new Map<ChildProcess, () => void>()

/** Runs `node bin/petstore.js`, which runs the bundle. @param root the project's directory, or a copy */
export function startProgram(env: Record<string, string>, args: string[] = [], root = ROOT): Program {
  // A directory without the developer's .env.
  return startCommand(process.execPath, [join(root, 'bin', 'petstore.js'), ...args], { env, cwd: tmpdir() })
}

/** @param options detached: what it starts itself is ended with it by endPrograms */
export function startCommand(
  command: string,
  args: string[],
  { env, ...options }: Pick<SpawnOptions, 'cwd' | 'detached' | 'env' | 'uid' | 'gid'>,
): Program {
  const child = spawn(command, args, {
    ...options,
    env: { PATH, HOME, PORT: '0', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  running.set(child, () => {
    if (!options.detached || child.pid === undefined) return void child.kill('SIGKILL')
    try {
      process.kill(-child.pid, 'SIGKILL')
    } catch {
      // All of them have ended.
    }
  })
  const stdout: string[] = []
  const stderr: string[] = []
  const [lines, log] = [createInterface({ input: child.stdout }), createInterface({ input: child.stderr })]
  lines.on('line', (line) => stdout.push(line))
  log.on('line', (line) => stderr.push(line))

  const ended = once(child, 'close').then(([code, signal]) => {
    running.delete(child)
    return (code ?? signal) as number | string
  })
  const failed = ended.then((code) => {
    throw new Error(`exited too early, with ${code}:\n${stderr.join('\n')}`)
  })
  return {
    child,
    stdout,
    stderr,
    listening: findUrl(log, /listening at (http:[^"\s]+)/, failed),
    ready: findUrl(lines, /ready.*(http:\S+)/, failed),
    ended,
  }
}

/** The value of NODE_OPTIONS that runs a module before the program. @param module its text */
export function preload(module: string): string {
  return `--import=data:text/javascript,${encodeURIComponent(module)}`
}

/** Runs the program until it ends. @returns its exit status, and what it has printed */
export function run(env: Record<string, string>, ...args: string[]) {
  return untilEnd(startProgram(env, args))
}

/** Runs what `npm run verify` runs, until it ends, in a process of its own: with its own certificates. */
export function runVerify(env: Record<string, string>, ...args: string[]) {
  return untilEnd(
    startCommand(process.execPath, [join(ROOT, 'test', 'conformance', 'verify.ts'), ...args], { env }),
  )
}

async function untilEnd({ child, ended, stderr }: Program) {
  // Not by lines: readline also splits at U+2028, which a name may contain.
  let stdout = ''
  child.stdout?.setEncoding('utf8').on('data', (text: string) => (stdout += text))
  const status = await ended
  return { status, stdout: stdout.replace(/\n$/, ''), stderr: stderr.join('\n') }
}

/** Runs a line of Bash, in which $PETSTORE is the program. What it starts is ended with it by endPrograms. */
export function startShell(line: string, env: Record<string, string>): Program {
  const PETSTORE = `${process.execPath} ${join(ROOT, 'bin', 'petstore.js')}`
  const script = `set -o pipefail; ${line}`
  return startCommand('bash', ['-c', script], { env: { ...env, PETSTORE }, detached: true })
}

function findUrl(lines: Interface, pattern: RegExp, failed: Promise<never>): Promise<string> {
  const found = new Promise<string>((resolve) => {
    lines.on('line', (line) => {
      const url = pattern.exec(line)?.[1]
      if (url) resolve(url)
    })
  })
  const url = Promise.race([found, failed])
  // Not every test awaits it.
  url.catch(() => undefined)
  return url
}

/** Milliseconds: six times what a server may take. */
const STOP_LIMIT = 60_000

/** Sends a signal. @returns the exit code; rejects with a reason if the program goes on */
export async function stopProgram({ child, ended, stderr }: Program, signal: NodeJS.Signals = 'SIGTERM') {
  child.kill(signal)
  const late = new AbortController()
  const isLate = setTimeout(STOP_LIMIT, null, { signal: late.signal }).catch(() => null)
  const code = await Promise.race([ended, isLate])
  late.abort()
  if (code === null)
    throw new Error(`it still runs ${STOP_LIMIT / 1_000} s after ${signal}:\n${stderr.join('\n')}`)
  return code
}

/** The demo key from the curl command that the program printed. */
export function demoKeyOf({ stdout }: Program): string {
  return /Bearer ([\w-]+)/.exec(stdout.join('\n'))?.[1] ?? ''
}

/** Its log lines with this message. */
export function logLines({ stderr }: Program, message: string): Record<string, unknown>[] {
  return stderr
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as Record<string, unknown>)
    .filter(({ msg }) => msg === message)
}

/** The log lines of a server that cannot use its database yet: one for each cause. */
export function waitLines(program: Program): Record<string, unknown>[] {
  return logLines(program, 'waiting for the database')
}

/** Ends the programs that tests have left running. */
export async function endPrograms(): Promise<void> {
  await Promise.all(
    Array.from(running, async ([child, kill]) => {
      const closed = once(child, 'close')
      kill()
      await closed
    }),
  )
}
