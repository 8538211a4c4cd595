/** The two commands of the README on a fresh machine, and what the embedded database promises. */
import { execFile } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createClient } from '../support/client.ts'
import { endPrograms, type Program, startProgram } from '../support/process.ts'

let directory: string
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'pet-store-'))
})
afterEach(async () => {
  await endPrograms()
  rmSync(directory, { recursive: true, force: true })
})

const start = (env: Record<string, string> = {}) =>
  startProgram({ DATA_DIR: join(directory, 'data'), ...env })
const keyOf = ({ stdout }: Program) => /Bearer ([\w-]+)/.exec(stdout.join('\n'))?.[1] ?? ''
const stop = async ({ child, ended }: Program) => {
  child.kill('SIGTERM')
  expect(await ended).toBe(0)
}

it('the first start makes demo animals and a demo key, and its curl line works when pasted', async () => {
  const program = start()
  const url = await program.ready
  const client = createClient(url, keyOf(program))
  expect((await client.send('/readyz')).status).toBe(200)
  expect(program.stdout.filter((line) => line.includes('ready'))).toHaveLength(1)
  expect(program.stdout.join('\n')).toContain(`${url}/graphql`)

  const curl = program.stdout.find((line) => line.includes('curl '))?.replace(/^.*?curl/, 'curl -s')
  const { stdout } = await promisify(execFile)('sh', ['-c', curl ?? 'false'])
  expect(JSON.parse(stdout)).toEqual([
    { id: 1, name: 'Rex', categoryId: 1, status: 'available' },
    { id: 2, name: 'Luna', categoryId: 2, status: 'available' },
    { id: 3, name: 'Kiwi', categoryId: 3, status: 'pending' },
  ])
  expect((await client.send('/v1/pets?limit=100')).json).toHaveLength(25)
  expect(statSync(join(directory, 'data', 'demo-key')).mode & 0o777).toBe(0o600)
  expect(statSync(join(directory, 'data')).mode & 0o777).toBe(0o700)
  expect(program.stderr.join('\n')).not.toContain(keyOf(program))
})

it('the second start has the same data and the same key, and no animals come back from the dead', async () => {
  const first = start()
  const firstClient = createClient(await first.ready, '')
  const key = keyOf(first)
  const { data } = await createClient(await first.ready, key).graphql('{ pets(first: 100) { nodes { id } } }')
  const { nodes } = (data as { pets: { nodes: { id: string }[] } }).pets
  for (const { id } of nodes)
    await createClient(await first.ready, key).graphql(`mutation { deletePet(id: ${id}) { id } }`)
  expect((await firstClient.send('/v1/pets', { key })).json).toEqual([])
  await stop(first)

  const second = start()
  const client = createClient(await second.ready, key)
  expect(keyOf(second)).toBe(key)
  expect((await client.send('/v1/pets')).json).toEqual([])
  await stop(second)
})

it('the key is filled into GraphiQL for this machine only, not for a name that anybody may give its address', async () => {
  const program = start()
  const url = await program.ready
  const shows = async (host: string) => {
    const { text } = await createClient(url, '').send('/graphql', {
      key: null,
      headers: { accept: 'text/html', host },
    })
    return text.includes(keyOf(program))
  }
  const hosts = [new URL(url).host, 'localhost:1', '[::1]', 'evil.example:4000']
  expect(await Promise.all(hosts.map(shows))).toEqual([true, true, true, false])
})

it('configured keys take the place of the demo key', async () => {
  const program = start({ API_KEYS: 'ann:first-secret, bob:second-secret' })
  const url = await program.ready
  expect(program.stdout.join('\n')).not.toContain('Bearer')
  expect(readdirSync(join(directory, 'data'))).not.toContain('demo-key')
  for (const key of ['first-secret', 'second-secret']) {
    expect((await createClient(url, key).send('/v1/pets')).status).toBe(200)
  }
  const { text } = await createClient(url, '').send('/graphql', {
    key: null,
    headers: { accept: 'text/html' },
  })
  // Not toContain: nobody wants to read nine megabytes of GraphiQL.
  expect(text.includes('first-secret') || text.includes('second-secret')).toBe(false)
})

it('a second process on the same directory ends at once and names the holder', async () => {
  const holder = start()
  await holder.ready
  const second = start()
  expect(await second.ended).toBe(1)
  expect(second.stderr.join('\n')).toContain(`in use by process ${holder.child.pid}`)
  expect(second.stderr.join('\n')).toContain('DATA_DIR')
  expect(second.stdout).toEqual([])
  expect((await createClient(await holder.ready, keyOf(holder)).send('/v1/pets')).status).toBe(200)
})

it('of several that start at once on an empty directory, one serves', async () => {
  const programs = [start(), start(), start()]
  const outcomes = await Promise.allSettled(programs.map(({ ready }) => ready))
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
})

it('a killed process loses nothing that it acknowledged, and its lock is taken over', async () => {
  const acknowledged: number[] = []
  let program = start()
  const key = await program.ready.then(() => keyOf(program))
  for (let round = 0; round < 3; round += 1) {
    const client = createClient(await program.ready, key)
    const enough = acknowledged.length + 100
    const write = async () => {
      for (;;) {
        const { json } = await client.send('/v1/pets', {
          method: 'POST',
          body: { name: 'kept', categoryId: 1 },
        })
        acknowledged.push((json as { id: number }).id)
        if (acknowledged.length === enough) program.child.kill('SIGKILL')
      }
    }
    // Every writer goes on until the server is gone.
    await Promise.allSettled(Array.from({ length: 8 }, write))
    expect(await program.ended).toBe('SIGKILL')
    program = start()
  }

  const client = createClient(await program.ready, key)
  const kept = new Set<number>()
  let path: string | undefined = '/v1/pets?limit=100'
  while (path) {
    const { json, headers } = await client.send(path)
    for (const { id } of json as { id: number }[]) kept.add(id)
    path = /<([^<>]*)>; rel="next"/.exec(String(headers.link ?? ''))?.[1]
  }
  expect(acknowledged.length).toBeGreaterThanOrEqual(300)
  expect(acknowledged.filter((id) => !kept.has(id))).toEqual([])
})

it('a creation that was committed but not answered is not done twice', async () => {
  const body = { name: 'once', categoryId: 1 }
  const headers = { 'idempotency-key': 'killed' }
  let program = start()
  const key = await program.ready.then(() => keyOf(program))
  const { json: first } = await createClient(await program.ready, key).send('/v1/pets', {
    method: 'POST',
    body,
    headers,
  })
  program.child.kill('SIGKILL')
  await program.ended
  program = start()
  const client = createClient(await program.ready, key)
  expect(await client.send('/v1/pets', { method: 'POST', body, headers })).toMatchObject({
    status: 201,
    json: first,
  })
  expect((await client.send('/v1/pets?limit=100')).json).toHaveLength(26)
})

it('a directory that cannot be used is named, with what to do', async () => {
  writeFileSync(join(directory, 'data'), 'a file')
  const program = start()
  expect(await program.ended).toBe(1)
  expect(program.stderr.join('\n')).toMatch(/embedded database in .*data.*DATA_DIR/s)
})
