/** The program as it is run: a process of its own, with an environment and signals. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'

const MAIN = new URL('../../src/main.ts', import.meta.url).pathname

export interface Program {
  child: ChildProcess
  /** What it has printed so far. */
  stdout: string[]
  stderr: string[]
  /** Resolves with the base URL when it says that it is ready; rejects when it ends before. */
  ready: Promise<string>
  /** Resolves with the exit code, or with the name of the signal that ended it. */
  ended: Promise<number | string>
}

const running = new Set<ChildProcess>()

/** Runs `node src/main.ts` with this environment and no other but what Node needs. */
export function startProgram(env: Record<string, string>, args: string[] = []): Program {
  const child = spawn(process.execPath, [MAIN, ...args], {
    env: { PATH: process.env.PATH, PORT: '0', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  running.add(child)
  const stdout: string[] = []
  const stderr: string[] = []
  const lines = createInterface({ input: child.stdout })
  lines.on('line', (line) => stdout.push(line))
  createInterface({ input: child.stderr }).on('line', (line) => stderr.push(line))

  const ended = once(child, 'close').then(([code, signal]) => {
    running.delete(child)
    return (code ?? signal) as number | string
  })
  const ready = new Promise<string>((resolve, reject) => {
    lines.on('line', (line) => {
      const url = /ready.*(http:\S+)/.exec(line)?.[1]
      if (url) resolve(url)
    })
    void ended.then((code) =>
      reject(new Error(`ended with ${code} before it was ready:\n${stderr.join('\n')}`)),
    )
  })
  // A test that does not wait for it does not care.
  ready.catch(() => undefined)
  return { child, stdout, stderr, ready, ended }
}

/** Ends what a failed test has left behind. */
export async function endPrograms(): Promise<void> {
  await Promise.all(
    [...running].map(async (child) => {
      child.kill('SIGKILL')
      await once(child, 'close')
    }),
  )
}
