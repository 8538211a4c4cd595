/** What the embedded database and the pages take: peaks of a first and a second start, and the limits that the examples set. */
import { mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { createClient } from '../support/client.ts'
import { useDirectory } from '../support/directory.ts'
import { createMemoryGroup, parseMemory, peakMemoryOf } from '../support/memory-limit.ts'
import {
  demoKeyOf,
  endPrograms,
  type Program,
  ROOT,
  startCommand,
  startProgram,
  stopProgram,
} from '../support/process.ts'

const directory = useDirectory(tmpdir())
let data: string
beforeEach(() => {
  data = join(mkdtempSync(join(directory, 'test-')), 'data')
})
afterEach(endPrograms)

/** Requests that make V8 compile what is used much. */
async function use(program: Program): Promise<void> {
  const client = createClient(await program.ready, demoKeyOf(program))
  for (let count = 0; count < 100; count += 1) {
    expect((await client.createPet({ name: `Pet ${count}`, categoryId: 1 })).status).toBe(201)
    expect((await client.send('/v1/pets?limit=20')).status).toBe(200)
    const query =
      '{ pets(first: 5, orderBy: { field: NAME, direction: ASC }) { totalCount nodes { id name } } }'
    expect((await client.graphql(query)).errors).toBeUndefined()
  }
}

const stop = async (program: Program) => expect(await stopProgram(program)).toBe(0)

describe.skipIf(peakMemoryOf(process.pid) === null)('peaks', () => {
  const peakOf = ({ child }: Program) => Math.round(peakMemoryOf(child.pid ?? 0) ?? 0)

  it('the first and the second start stay small, and so does a server in use', async () => {
    const first = startProgram({ DATA_DIR: data })
    await first.ready
    const peaks = { first: peakOf(first), second: 0, used: 0 }
    await stop(first)
    const second = startProgram({ DATA_DIR: data })
    await second.ready
    peaks.second = peakOf(second)
    await use(second)
    peaks.used = peakOf(second)
    console.log('peaks in MB:', peaks)
    expect(peaks.first).toBeLessThan(600)
    expect(peaks.second).toBeLessThan(300)
    expect(peaks.used).toBeLessThan(450)
  })

  it('opening all pages costs little, since their files are compressed already', async () => {
    const program = startProgram({ DATA_DIR: data })
    const url = await program.ready
    const before = peakOf(program)
    // As browsers ask.
    for (const path of ['/docs', '/graphql']) await openPage(`${url}${path}`)
    const cost = peakOf(program) - before
    expect(cost).toBeLessThan(40)
  })
})

/** Loads a page and its files, compressed. */
async function openPage(address: string): Promise<void> {
  const page = await fetch(address, { headers: { accept: 'text/html' } })
  for (const [file] of (await page.text()).matchAll(/(?<=")\.\/[^"]+\.(css|js)(?=")/g)) {
    const response = await fetch(new URL(file, address), { headers: { 'accept-encoding': 'gzip' } })
    expect([response.status, response.headers.get('content-encoding')]).toEqual([200, 'gzip'])
    await response.arrayBuffer()
  }
}

/** Where the examples set a limit for a server. */
const LIMITS: [string, RegExp][] = [
  ['compose.yaml', /mem_limit: (\S+)/],
  ['deploy/petstore.service', /MemoryMax=(\S+)/],
  ['deploy/kubernetes.yaml', /limits: \{ memory: (\S+) \}/],
]

it('the memory limits of the examples are enough for a first and a second start on the embedded database', async (context) => {
  const limits = LIMITS.map(([file, pattern]) => {
    const [, limit = ''] = pattern.exec(readFileSync(join(ROOT, file), 'utf8')) ?? []
    return parseMemory(limit)
  })
  const group = createMemoryGroup(Math.min(...limits))
  if (typeof group === 'string') {
    console.warn(`Memory limits are not tested: ${group}.`)
    return context.skip(group)
  }
  onTestFinished(async () => {
    await endPrograms()
    group.remove()
  })
  const [command, ...args] = group.command
  for (let starts = 0; starts < 2; starts += 1) {
    const program = startCommand(
      command,
      [...args, process.execPath, join(ROOT, 'bin', 'petstore.js'), 'serve'],
      { env: { DATA_DIR: data } },
    )
    await use(program)
    await stop(program)
  }
})
