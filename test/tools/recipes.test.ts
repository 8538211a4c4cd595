/**
 * The recipes in docs/recipes: each patch is applied to a copy of the project, as it stands and with other names, which is generated and
 * compiled. Its tests pass with nothing else edited, and it is served and used.
 */
import { execFile } from 'node:child_process'
import { appendFileSync, globSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { copyProject } from './copy-project.ts'
import { createClient, nextPage, type TestClient } from '../support/client.ts'
import { useDirectory } from '../support/directory.ts'
import { type EventStream, subscribe } from '../support/event-stream.ts'
import { demoKeyOf, endPrograms, logLines, ROOT, startProgram, stopProgram } from '../support/process.ts'
import { seed } from '../support/seed.ts'

/** They run the tests of the project again. */
const TIMEOUT = 3_600_000

const directory = useDirectory(tmpdir())
afterEach(endPrograms)

/** What is made by commands, and git's own directory. */
const NOT_COPIED = new Set(['.data', '.git', 'coverage', 'dist', 'node_modules'])

/** @returns the path of a copy of the project */
function copyAll(name: string): string {
  const entries = readdirSync(ROOT).filter((entry) => !NOT_COPIED.has(entry))
  return copyProject(join(directory, name), entries)
}

const execute = promisify(execFile)
const env = {
  PATH: `${join(ROOT, 'node_modules', '.bin')}:${process.env.PATH}`,
  HOME: process.env.HOME,
  SEED: String(seed),
}

async function run(copy: string, command: string, ...args: string[]): Promise<void> {
  await execute(command, args, { cwd: copy, env, maxBuffer: 2 ** 26 }).catch((error: unknown) => {
    const { stdout, stderr } = error as { stdout: string; stderr: string }
    throw new Error(`${command} ${args.join(' ')} failed:\n${stdout}\n${stderr}`)
  })
}

const recipes = join(ROOT, 'docs', 'recipes')

type Rename = (text: string) => string
const asItStands: Rename = (text) => text

/** @param recipe the name of a patch, and of the migration that it needs @param rename what makes other names of those of the recipe */
async function follow(copy: string, recipe: string, rename: Rename): Promise<void> {
  const read = (file: string) => renameAdded(readFileSync(join(recipes, file), 'utf8'), rename)
  const patch = `${copy}.patch`
  writeFileSync(patch, read(`${recipe}.patch`))
  await run(copy, 'git', 'apply', patch)
  await run(copy, 'drizzle-kit', 'generate', '--name', recipe)
  // What drizzle-kit does not know.
  for (const sql of globSync(`${recipe}.sql`, { cwd: recipes }))
    for (const migration of globSync(join(copy, 'drizzle', `*_${recipe}.sql`)))
      appendFileSync(migration, rename(readFileSync(join(recipes, sql), 'utf8')))
  await run(copy, 'npm', 'run', 'codegen')
  await run(copy, 'tsc')
}

/** Gives what a patch adds other names: its lines, and its files. */
function renameAdded(patch: string, rename: Rename): string {
  return patch.replaceAll(/^(\+|diff --git ).*$/gm, rename)
}

/** @param files parts of their names; all, if none is given */
function passTests(copy: string, files: readonly string[] = []): Promise<void> {
  const projects = ['unit', 'project', 'embedded'].flatMap((project) => ['--project', project])
  return run(copy, 'vitest', 'run', '--update', '--silent', '--reporter=dot', ...projects, ...files)
}

/** Of those of the service, the two that go through all fields and filters. The others have run with the names of the patch. */
const TESTS_OF_NAMES = ['test/unit/', 'test/project/', 'conformance', 'service/graphql/lists']

/** Serves on an embedded database. */
async function serve(copy: string) {
  const program = startProgram({ DATA_DIR: join(copy, 'data'), METRICS_PORT: '0' }, ['serve'], copy)
  const url = await program.ready
  const key = demoKeyOf(program)
  /** How often a statement has run. */
  const countStatements = async (name: string): Promise<number> => {
    const [line] = logLines(program, 'metrics are served')
    const metrics = await (await fetch(String(line?.url))).text()
    const counted = new RegExp(
      `^db_client_operation_duration_seconds_count{[^}]*"${name}"[^}]*} (\\d+)$`,
      'm',
    )
    return Number(counted.exec(metrics)?.[1] ?? 0)
  }
  return { url, key, client: createClient(url, key), countStatements, stop: () => stopProgram(program) }
}

describe('a field, and a filter on top of it', () => {
  let copy: string
  beforeAll(() => void (copy = copyAll('field')))

  it('passes the tests with the field', { timeout: TIMEOUT }, async () => {
    await follow(copy, 'field', asItStands)
    await passTests(copy)
  })

  it('passes the tests with both', { timeout: TIMEOUT }, async () => {
    await follow(copy, 'filter', asItStands)
    await passTests(copy)
  })

  it('passes the tests with both, by other names', { timeout: TIMEOUT }, async () => {
    const other = copyAll('other-field')
    const rename: Rename = (text) =>
      text
        .replaceAll('weightGrams', 'birthYear')
        .replaceAll('WeightGrams', 'BirthYear')
        .replaceAll('weight_grams', 'birth_year')
        .replaceAll(/\bweight\b/g, 'year')
    await follow(other, 'field', rename)
    await follow(other, 'filter', rename)
    await passTests(other, TESTS_OF_NAMES)
  })

  it('are part of imports, exports and both APIs', async () => {
    const file = join(copy, 'pets.csv')
    const transfer = async (...args: string[]) => {
      const program = startProgram({ DATA_DIR: join(copy, 'data') }, args, copy)
      expect([await program.ended, program.stderr.join('\n')]).toEqual([0, expect.any(String)])
    }
    // An older file lacks the field.
    writeFileSync(file, 'id,name,categoryId,status\n1,Old,7,sold\n')
    await transfer('import', file, '--keep-ids')
    writeFileSync(file, 'id,name,categoryId,status,weightGrams\n2,New,7,,5000\n')
    await transfer('import', file, '--keep-ids')

    const { url, key, client, stop } = await serve(copy)
    await checkRest(client)
    await checkGraphql(client)
    await checkEvents(
      client,
      await subscribe(
        url,
        key,
        'subscription { petChanged(filter: {minWeightGrams: 6000}) { kind pet { id weightGrams } } }',
      ),
    )
    await stop()

    await transfer('export', join(copy, 'all.csv'))
    expect(readFileSync(join(copy, 'all.csv'), 'utf8').split('\n').slice(0, 5)).toEqual([
      'id,name,categoryId,status,weightGrams',
      '1,Old,7,sold,',
      '2,New,7,,7000',
      '3,Rex,1,,0',
      '4,Max,1,,',
    ])
    await transfer('export', join(copy, 'all.ndjson'))
    expect(readFileSync(join(copy, 'all.ndjson'), 'utf8')).toContain(
      '{"id":2,"name":"New","categoryId":7,"weightGrams":7000}\n',
    )
  })

  async function checkRest(client: TestClient) {
    const created = await client.createPet({ name: 'Rex', categoryId: 1, weightGrams: 0 })
    expect(created.json).toEqual({ id: 3, name: 'Rex', categoryId: 1, weightGrams: 0 })
    const withoutWeight = {
      body: { name: 'Max', categoryId: 1 },
      headers: { 'idempotency-key': 'k' },
      method: 'POST',
    }
    const first = await client.send('/v1/pets', withoutWeight)
    expect(first.json).toEqual({ id: 4, name: 'Max', categoryId: 1 })
    expect((await client.send('/v1/pets', withoutWeight)).json).toEqual(first.json)
    const heavier = { ...withoutWeight, body: { name: 'Max', categoryId: 1, weightGrams: 1 } }
    expect((await client.send('/v1/pets', heavier)).status).toBe(422)
    expect((await client.send('/v1/pets/2')).json).toMatchObject({ weightGrams: 5000 })
    expect((await client.send('/v1/pets?limit=2')).json).toMatchObject([
      { id: 1 },
      { id: 2, weightGrams: 5000 },
    ])
    for (const weightGrams of [-1, 0.5, 2 ** 31, '7', null]) {
      const { status, json } = await client.createPet({ name: 'Rex', categoryId: 1, weightGrams })
      expect([status, json]).toMatchObject([
        400,
        { code: 'INVALID_VALUE', message: 'weightGrams must be an integer from 0 to 2147483647.' },
      ])
    }
  }

  async function checkGraphql(client: TestClient) {
    const list =
      'query ($least: Int) { pets(filter: {minWeightGrams: $least}) { nodes { id weightGrams } totalCount } }'
    const listed = async (least: number) => (await client.graphql(list, { least })).data?.pets
    expect(await listed(1)).toEqual({ nodes: [{ id: '2', weightGrams: 5000 }], totalCount: 1 })
    expect(await listed(0)).toMatchObject({ totalCount: 2 })
    expect(await listed(5001)).toEqual({ nodes: [], totalCount: 0 })
    const create = 'mutation ($pet: NewPet!) { createPet(input: $pet) { weightGrams } }'
    const { errors } = await client.graphql(create, {
      pet: { name: 'Rex', categoryId: '1', weightGrams: -1 },
    })
    expect(errors).toMatchObject([
      {
        message: 'weightGrams must be an integer from 0 to 2147483647.',
        extensions: { code: 'INVALID_VALUE' },
      },
    ])
  }

  async function checkEvents(client: TestClient, events: EventStream) {
    await client.updatePet('2', { weightGrams: 7000 })
    expect(await events.next()).toEqual({
      data: { petChanged: { kind: 'updated', pet: { id: '2', weightGrams: 7000 } } },
    })
    events.abort()
  }
})

describe('a resource', () => {
  let copy: string
  beforeAll(() => void (copy = copyAll('resource')))

  it('passes the tests', { timeout: TIMEOUT }, async () => {
    await follow(copy, 'resource', asItStands)
    await passTests(copy)
  })

  it('passes the tests by another name', { timeout: TIMEOUT }, async () => {
    const other = copyAll('other-resource')
    // But for the orders of a list.
    await follow(other, 'resource', (text) =>
      text.replaceAll(/order(?!s: \{ ID)/g, 'visit').replaceAll('Order', 'Visit'),
    )
    await passTests(other, TESTS_OF_NAMES)
  })

  it('is listed, created and watched over both APIs, and has a relation', async () => {
    const { url, key, client, countStatements, stop } = await serve(copy)
    const events = await subscribe(
      url,
      key,
      'subscription { orderChanged { kind order { petId pet { name } } } }',
    )
    const order = { petId: 1, quantity: 2 }
    const orders = '/v1/orders'
    const retried = { headers: { 'idempotency-key': 'k' } }
    const first = await client.post(orders, order, retried)
    expect([first.status, first.json]).toEqual([201, { id: 1, ...order }])
    expect((await client.post(orders, order, retried)).json).toEqual({ id: 1, ...order })
    expect((await client.post(orders, { ...order, quantity: 3 }, retried)).status).toBe(422)
    expect((await client.createPet({ name: 'Rex', categoryId: 1 }, retried)).status).toBe(422)
    expect((await client.post(orders, { petId: 1, quantity: 0 })).json).toMatchObject({
      code: 'INVALID_VALUE',
      message: 'quantity must be an integer from 1 to 2147483647.',
    })
    expect((await client.post(orders, { petId: 404, quantity: 1 })).json).toMatchObject({
      code: 'INVALID_VALUE',
      message: 'petId must be the id of a pet.',
    })

    const create =
      'mutation ($input: NewOrder!, $key: String) { createOrder(input: $input, idempotencyKey: $key) { id petId quantity } }'
    const input = { petId: '2', quantity: 1 }
    const { createOrder } = (await client.graphql(create, { input, key: 'other' })).data ?? {}
    expect(createOrder).toMatchObject(input)
    expect((await client.graphql(create, { input, key: 'other' })).data).toEqual({ createOrder })
    const { errors } = await client.graphql(create, { input: { ...input, quantity: 0 } })
    expect(errors).toMatchObject([{ extensions: { code: 'INVALID_VALUE' } }])
    const page = await client.send(`${orders}?limit=1`)
    expect([page.status, page.json]).toEqual([200, [{ id: 1, ...order }]])
    const next = await client.send(nextPage(page) ?? '')
    expect([next.json, nextPage(next)]).toMatchObject([[{ petId: 2, quantity: 1 }], undefined])
    const { data } = await client.graphql(
      '{ orders(last: 1) { nodes { id petId quantity } totalCount pageInfo { hasPreviousPage } } }',
    )
    expect(data?.orders).toEqual({ nodes: [createOrder], totalCount: 2, pageInfo: { hasPreviousPage: true } })
    expect((await client.send(orders, { method: 'DELETE' })).headers.allow).toContain('POST')
    await checkEvents(events)
    await checkRelation(client, countStatements)
    await stop()
  })

  async function checkEvents(events: EventStream) {
    for (const order of [
      { petId: '1', pet: { name: 'Rex' } },
      { petId: '2', pet: { name: 'Luna' } },
    ])
      expect(await events.next()).toEqual({ data: { orderChanged: { kind: 'created', order } } })
    events.abort()
  }

  async function checkRelation(client: TestClient, countStatements: (name: string) => Promise<number>) {
    // Pets 1 to 20, five times.
    for (let number = 0; number < 98; number += 1)
      await client.post('/v1/orders', { petId: (number % 20) + 1, quantity: 1 })
    const before = await countStatements('findPets')
    const list = '{ orders(first: 100) { nodes { petId pet { id } } } }'
    const { json, headers } = await client.post('/graphql', { query: list })
    const { nodes } = (json as { data: { orders: { nodes: { petId: string; pet: { id: string } }[] } } }).data
      .orders
    expect(nodes).toHaveLength(100)
    expect(nodes.filter(({ petId, pet }) => pet.id !== petId)).toEqual([])
    expect((await countStatements('findPets')) - before).toBe(1)
    // 100 for the page; 1 for nodes; for each order 3: its petId, its pet, and that pet's id.
    expect(headers['query-cost']).toBe('401; max=4000')
    await client.deletePet('1')
    const { data: withoutPet } = await client.graphql('{ orders(first: 1) { nodes { petId pet { id } } } }')
    expect(withoutPet?.orders).toEqual({ nodes: [{ petId: '1', pet: null }] })
  }
})
