/** Servers that faults are done to. Everything they answer and log is searched for what nobody may see. */
import { Agent } from 'node:http'
import { join } from 'node:path'
import { afterAll, type afterEach, expect } from 'vitest'
import { createClient, type TestClient } from '../support/client.ts'
import { findLeak } from '../support/leaks.ts'
import { endPrograms, type Program, ROOT, startCommand } from '../support/process.ts'
import { KEY } from '../support/service.ts'

export interface Server {
  url: string
  program: Program
  /** Each of its requests has a connection of its own. */
  client: TestClient
}

const programs: Program[] = []
const leaks = new Set<string>()
const searched = { answers: 0, lines: 0 }

/** Starts the program with the key of the tests. @param nodeOptions of Node itself */
export async function startServer(env: Record<string, string>, nodeOptions: string[] = []): Promise<Server> {
  const program = startUnready(env, nodeOptions)
  const url = await program.ready
  return { url, program, client: connect(url) }
}

/** The same, without the wait until it can serve. */
export function startUnready(env: Record<string, string>, nodeOptions: string[] = []): Program {
  const program = startCommand(process.execPath, [...nodeOptions, join(ROOT, 'bin', 'petstore.js')], {
    env: { API_KEYS: `test:${KEY}`, ...env },
  })
  programs.push(program)
  return program
}

/** A client whose answers are searched, too. */
export function connect(url: string, agent?: Agent): TestClient {
  return createClient(url, KEY, { onAnswer: searchAnswer, ...(agent && { agent }) })
}

/** A client that keeps its connections. */
export function connectKeepingAlive(url: string, connections = 8): TestClient {
  return connect(url, new Agent({ keepAlive: true, maxSockets: connections }))
}

/** For answers that no client of `connect` has received. */
export function searchAnswer(answer: string): void {
  searched.answers += 1
  const leak = findLeak(answer)
  if (leak) leaks.add(`an answer holds ${leak}`)
}

/** Ends the servers after each test, or after all of them if they run concurrently. */
export function endServersAfter(hook: typeof afterAll | typeof afterEach): void {
  // The last one that is registered runs first.
  afterAll(() => report(`${print(searched.answers)} answers and ${print(searched.lines)} log lines searched`))
  hook(endServers)
}

/** @throws AssertionError if one of them has answered or logged what nobody may see */
async function endServers(): Promise<void> {
  await endPrograms()
  const lines = programs.splice(0).flatMap(({ stdout, stderr }) => [...stdout, ...stderr])
  searched.lines += lines.length
  for (const line of lines) {
    const leak = findLeak(line)
    if (leak) leaks.add(`the log holds ${leak}`)
  }
  const found = [...leaks]
  leaks.clear()
  expect(found).toEqual([])
}

export function print(count: number): string {
  return count.toLocaleString('en')
}

/** Prints a figure. */
export function report(figure: string): void {
  console.log(`faults: ${figure}`)
}
