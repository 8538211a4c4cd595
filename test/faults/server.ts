/** Servers for the fault tests. All their answers and log lines are searched for what must not leak. */
import { Agent } from 'node:http'
import { join } from 'node:path'
import { type afterAll, type afterEach, expect } from 'vitest'
import { createClient, type TestClient } from '../support/client.ts'
import { findLeak } from '../support/leaks.ts'
import { endPrograms, type Program, ROOT, startCommand } from '../support/process.ts'
import { KEY } from '../support/service.ts'

export interface Server {
  url: string
  program: Program
  /** Uses a new connection for each request. */
  client: TestClient
}

const programs: Program[] = []
const leaks = new Set<string>()

/** Starts the program with the tests' API key. @param nodeOptions options for Node itself @param within a command that runs another one */
export async function startServer(
  env: Record<string, string>,
  nodeOptions: string[] = [],
  within: readonly string[] = [],
): Promise<Server> {
  const program = startUnready(env, nodeOptions, within)
  const url = await program.ready
  return { url, program, client: connect(url) }
}

/** The same, without waiting until it can serve. */
export function startUnready(
  env: Record<string, string>,
  nodeOptions: string[] = [],
  within: readonly string[] = [],
): Program {
  const start = [...within, process.execPath, ...nodeOptions, join(ROOT, 'bin', 'petstore.js')]
  const [command = '', ...args] = start
  const program = startCommand(command, args, { env: { API_KEYS: `test:${KEY}`, ...env } })
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

/** Searches an answer that was not received by a client from `connect`. */
export function searchAnswer(answer: string): void {
  const leak = findLeak(answer)
  if (leak) leaks.add(`an answer holds ${leak}`)
}

/** Ends the servers after each test, or after all of them if they run concurrently. */
export function endServersAfter(hook: typeof afterAll | typeof afterEach): void {
  hook(endServers)
}

/** @throws AssertionError if one of them has leaked something in an answer or its log */
async function endServers(): Promise<void> {
  await endPrograms()
  const lines = programs.splice(0).flatMap(({ stdout, stderr }) => [...stdout, ...stderr])
  for (const line of lines) {
    const leak = findLeak(line)
    if (leak) leaks.add(`the log contains ${leak}`)
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
