/**
 * Every field of a pet makes the round trip through everything that reads and writes pets, and every filter means the same in lists,
 * counts and events. A field or a filter that something leaves out fails here; so does one that test/support/pet-fields.ts lacks.
 */
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { getTableColumns } from 'drizzle-orm'
import { type GraphQLType, isInputObjectType, isObjectType } from 'graphql'
import type { Sql } from 'postgres'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { parse as parseYaml } from 'yaml'
import { parseExactJsonText } from '../../src/base/json.ts'
import { readConfig } from '../../src/config/config.ts'
import type { Database } from '../../src/db/database.ts'
import { petResource, petTable } from '../../src/pets/pet-resource.ts'
import { createDatabase as createClient } from '../../src/server/create-database.ts'
import { schema } from '../../src/server/schema.ts'
import { exportItems } from '../../src/transfer/export-items.ts'
import { type Format, openInput } from '../../src/transfer/files.ts'
import { importItems } from '../../src/transfer/import-items.ts'
import { idOf, nextPage, type TestResponse } from '../support/client.ts'
import { createDatabase, createImitatedCitus, type TestDatabase } from '../support/database.ts'
import { useDirectory } from '../support/directory.ts'
import { type EventStream, subscribe } from '../support/event-stream.ts'
import {
  type FieldName,
  fieldNames,
  fields,
  type Filter,
  filterCombinations,
  filterNames,
  filters,
  kinds,
  samplePets,
  sentNames,
  toCsvRecord,
  toGraphqlPet,
  toJsonPet,
  toJsonText,
  usualPet,
  variedPets,
  withValue,
  type Pet,
} from '../support/pet-fields.ts'
import { petOrders } from '../support/pet-pages.ts'
import { ROOT } from '../support/process.ts'
import { KEY, useService } from '../support/service.ts'
import { listPets, matches, orders } from './graphql/list-model.ts'

const FIELDS = fieldNames.join(' ')

describe('the declarations of the test cover', () => {
  const contract = parseYaml(readFileSync(join(ROOT, 'schema', 'openapi.yaml'), 'utf8')) as Contract
  interface Contract {
    paths: { '/pets': { get: { parameters: { name: string }[] } } }
    components: {
      schemas: { NewPet: Part & { required: string[] }; Pet: { allOf: Part[] } }
    }
  }
  interface Part {
    properties?: object
  }

  /** The fields of a type or an input, each with its type. */
  function typesOf(name: string): Record<string, string> {
    const of = schema.getType(name)
    const found: Record<string, { type: GraphQLType }> =
      isObjectType(of) || isInputObjectType(of) ? of.getFields() : {}
    return Object.fromEntries(Object.entries(found).map(([field, { type }]) => [field, String(type)]))
  }
  const typeOf = (name: FieldName, isOptional: boolean) =>
    kinds[fields[name].kind].graphqlType + (fields[name].isRequired && !isOptional ? '!' : '')
  const declare = (names: readonly FieldName[], isOptional = false) =>
    Object.fromEntries(names.map((name) => [name, typeOf(name, isOptional)]))

  it('each column of the table, and whether it can be null', () => {
    // Postgres generates the others.
    const columns = Object.entries(getTableColumns(petTable)).filter(([, { generated }]) => !generated)
    expect(columns.map(([name, { name: column, notNull }]) => [name, column, notNull])).toEqual(
      fieldNames.map((name) => [name, fields[name].column, fields[name].isRequired]),
    )
  })

  it('each field of Pet, NewPet and PetChanges in the SDL, and its type', () => {
    expect(typesOf('Pet')).toEqual(declare(fieldNames))
    expect(typesOf('NewPet')).toEqual(declare(sentNames))
    expect(typesOf('PetChanges')).toEqual(declare(sentNames, true))
  })

  it('each property of Pet and NewPet in the REST contract', () => {
    const { NewPet, Pet } = contract.components.schemas
    expect(Object.keys(NewPet.properties ?? {}).sort()).toEqual([...sentNames].sort())
    expect([...NewPet.required].sort()).toEqual(sentNames.filter((name) => fields[name].isRequired).sort())
    const own = Pet.allOf.flatMap(({ properties = {} }) => Object.keys(properties))
    expect([...own, ...sentNames].sort()).toEqual([...fieldNames].sort())
  })

  it('each filter of the SDL and of the REST contract', () => {
    expect(Object.keys(typesOf('PetFilter')).sort()).toEqual([...filterNames].sort())
    const parameters = contract.paths['/pets'].get.parameters.map(({ name }) => name)
    const others = ['limit', 'after']
    expect(parameters.filter((name) => !others.includes(name))).toEqual(
      filterNames.filter((name) => filters[name].inRest.length > 0),
    )
  })

  it.each(filterNames)('%s with an input that tells pets apart', (name) => {
    const found = filters[name].inputs.map((input) => listPets(variedPets, { [name]: input }).length)
    expect(found.some((count) => count > 0 && count < variedPets.length)).toBe(true)
  })
})

const databases: [title: string, create: () => Promise<TestDatabase>][] = [
  [`the database ${process.env.TEST_DATABASE}`, createDatabase],
]
if (process.env.TEST_DATABASE === 'postgres') databases.push(['the SQL for Citus', createImitatedCitus])

/** All pets in a database by id, past the program. */
async function readStored(sql: Sql): Promise<Pet[]> {
  const columns = fieldNames.map((name) => `${fields[name].column}::text as "${name}"`)
  return [...(await sql.unsafe<Pet[]>(`select ${columns.join()} from pets order by pets.id`))]
}

/** What a subscriber receives. */
interface Event {
  kind: string
  pet: Pet
}

/** As many pets as there are values, each different in this field alone. */
const valuesOf = (name: FieldName) => fields[name].values.map((value) => withValue(usualPet, name, value))
const toGraphqlEvents = (events: readonly Event[]) =>
  events.map(({ kind, pet }) => ({ kind, pet: toGraphqlPet(pet) }))
/** A pet without a field, and pets with invalid values of it, as JSON; null is one of them if the field is required. */
function writeInvalid(name: FieldName): { without: string; invalid: string[] } {
  const others = sentNames.filter((other) => other !== name)
  const without = toJsonText(usualPet, others)
  const { invalid, isRequired } = fields[name]
  const values = [...invalid, ...(isRequired ? ['null'] : [])]
  return { without, invalid: values.map((json) => `${without.slice(0, -1)},"${name}":${json}}`) }
}
const byId = (a: Pet, b: Pet) => Number(BigInt(a.id) - BigInt(b.id))

describe.each(databases)('on %s,', (_, createOwn) => {
  const service = useService({}, createOwn)

  /** @returns the data of a GraphQL operation without errors */
  async function run(query: string, variables: object = {}): Promise<Record<string, unknown>> {
    const { data, errors } = await service.client.graphql(query, variables)
    expect(errors).toBeUndefined()
    return data ?? {}
  }

  async function create(pet: Pet): Promise<Pet> {
    const answer = await service.client.createPet(toJsonText(pet, sentNames))
    expect(answer.status, answer.text).toBe(201)
    return { ...pet, id: idOf(answer) }
  }

  const update = (id: string, pet: Pet, names: readonly FieldName[]) =>
    run(`mutation ($id: ID!, $input: PetChanges!) { updatePet(id: $id, input: $input) { ${FIELDS} } }`, {
      id,
      input: toGraphqlPet(pet, names),
    })

  async function watch(filter: Filter = {}): Promise<EventStream> {
    const query = `subscription ($filter: PetFilter) { petChanged(filter: $filter) { kind pet { ${FIELDS} } } }`
    const stream = await subscribe(service.url, KEY, query, { filter })
    onTestFinished(() => stream.abort())
    return stream
  }

  /**
   * The next events until the last expected one. Those of earlier pets are left out: a subscriber may still get some from before its
   * subscription.
   */
  async function readEvents(stream: EventStream, expected: readonly Event[]): Promise<unknown[]> {
    const [first] = expected.map(({ pet }) => pet).sort(byId)
    const last = toGraphqlEvents(expected).at(-1)
    const events: unknown[] = []
    while (last && !isDeepStrictEqual(events.at(-1), last)) {
      const { data } = (await stream.next()) as { data: { petChanged: Event } }
      if (!first || byId(first, data.petChanged.pet) <= 0) events.push(data.petChanged)
    }
    return events
  }

  /** Each page of a list in the REST API. */
  async function listAll(query: string): Promise<unknown[]> {
    const found: unknown[] = []
    for (let path: string | undefined = `/v1/pets?limit=2${query}`; path !== undefined;) {
      const page: TestResponse = await service.client.send(path)
      expect(page.status, page.text).toBe(200)
      found.push(...(parseExactJsonText(page.text) as unknown[]))
      path = nextPage(page)
    }
    return found
  }

  describe.each(sentNames)('the field %s', (name) => {
    const values = valuesOf(name)
    const lists = petOrders.map((order) => {
      const { field, direction } = order
      const query = `query By${field}_${direction}_${name} { pets(first: 100, orderBy: { field: ${field}, direction: ${direction} }) { nodes { ${FIELDS} } } }`
      return { order, query }
    })
    const one = `query One_${name}($id: ID!) { pet(id: $id) { ${FIELDS} } node(id: $id) { ... on Pet { ${FIELDS} } } }`

    it('is kept by REST, and read by both APIs', async () => {
      await service.clear()
      const created: Pet[] = []
      for (const pet of values) {
        const answer = await service.client.createPet(toJsonText(pet, sentNames))
        created.push({ ...pet, id: idOf(answer) })
        expect(parseExactJsonText(answer.text)).toEqual(toJsonPet({ ...pet, id: idOf(answer) }))
      }
      expect(await readStored(service.sql)).toEqual(created)
      expect(await listAll('')).toEqual(created.map((pet) => toJsonPet(pet)))
      for (const pet of created) {
        const { text } = await service.client.send(`/v1/pets/${pet.id}`)
        expect(parseExactJsonText(text)).toEqual(toJsonPet(pet))
      }
      // A document is compiled when it comes again, and then takes another path.
      for (let time = 1; time <= 3; time += 1) {
        for (const { order, query } of lists) {
          const nodes = listPets(created, {}, order)
          expect(await run(query)).toEqual({ pets: { nodes: nodes.map((pet) => toGraphqlPet(pet)) } })
        }
        for (const pet of created)
          expect(await run(one, { id: pet.id })).toEqual({ pet: toGraphqlPet(pet), node: toGraphqlPet(pet) })
      }
    })

    it('is kept by GraphQL, and by many creations at once', async () => {
      await service.clear()
      const query = `mutation Create_${name}($input: NewPet!) { createPet(input: $input) { ${FIELDS} } }`
      const created = await Promise.all(
        values.map(async (pet) => {
          const { createPet } = await run(query, { input: toGraphqlPet(pet, sentNames) })
          const { id } = createPet as Pet
          expect(createPet).toEqual(toGraphqlPet({ ...pet, id }))
          return { ...pet, id }
        }),
      )
      expect(await readStored(service.sql)).toEqual(created.sort(byId))
    })

    it('is updated alone, and its update is an event', async () => {
      await service.clear()
      const stream = await watch()
      const created = await create(usualPet)
      const events: Event[] = [{ kind: 'created', pet: created }]
      let pet = created
      for (const { [name]: value } of [...values.slice(1), ...values.slice(0, 1)]) {
        pet = withValue(pet, name, value)
        // The second time changes nothing, and is no event.
        for (let time = 1; time <= 2; time += 1)
          expect(await update(pet.id, pet, [name])).toEqual({ updatePet: toGraphqlPet(pet) })
        expect(await readStored(service.sql)).toEqual([pet])
        events.push({ kind: 'updated', pet })
      }
      const query = `mutation ($id: ID!) { deletePet(id: $id) { ${FIELDS} } }`
      expect(await run(query, { id: pet.id })).toEqual({ deletePet: toGraphqlPet(pet) })
      events.push({ kind: 'deleted', pet })
      expect(await readEvents(stream, events)).toEqual(toGraphqlEvents(events))
    })

    it('is a part of what an idempotency key stands for', async () => {
      await service.clear()
      const send = (pet: Pet, key: string) =>
        service.client.createPet(toJsonText(pet, sentNames), { headers: { 'idempotency-key': key } })
      const query = `mutation ($input: NewPet!, $key: String) { createPet(input: $input, idempotencyKey: $key) { ${FIELDS} } }`
      const created: Pet[] = []
      for (const [index, pet] of values.entries()) {
        const key = `${name}-${index}`
        const first = await send(pet, key)
        created.push({ ...pet, id: idOf(first) })
        expect((await send(pet, key)).text).toBe(first.text)
        expect(await run(query, { input: toGraphqlPet(pet, sentNames), key })).toEqual({
          createPet: toGraphqlPet({ ...pet, id: idOf(first) }),
        })
        for (const other of values.filter((other) => other !== pet))
          expect((await send(other, key)).json).toMatchObject({ code: 'IDEMPOTENCY_KEY_REUSED' })
      }
      expect(await readStored(service.sql)).toEqual(created)
    })

    it('is named if it is invalid, and nothing is stored', async () => {
      await service.clear()
      const { id } = await create(usualPet)
      const { without, invalid } = writeInvalid(name)
      const { isRequired } = fields[name]
      const mutations = [
        'mutation ($input: NewPet!) { done: createPet(input: $input) { id } }',
        `mutation ($input: PetChanges!) { done: updatePet(id: "${id}", input: $input) { id } }`,
      ]
      for (const body of invalid) {
        const answer = await service.client.createPet(body)
        expect(answer.json, body).toMatchObject({
          code: 'INVALID_VALUE',
          message: expect.stringContaining(name),
        })
        for (const query of mutations) {
          const request = `{"query":${JSON.stringify(query)},"variables":{"input":${body}}}`
          const { text, json } = await service.client.post('/graphql', request)
          expect(json, body).toMatchObject({ errors: [{ extensions: { code: 'INVALID_VALUE' } }] })
          expect(text).toContain(name)
        }
      }
      expect((await service.client.createPet(without)).status).toBe(isRequired ? 400 : 201)
      expect(await service.countPets()).toBe(isRequired ? 1 : 2)
    })
  })

  describe('each filter', () => {
    const stored: Pet[] = []
    beforeAll(async () => {
      await service.clear()
      for (const pet of variedPets) stored.push(await create(pet))
    })

    it.each(filterCombinations)('%j restricts the list and the number of pets alike', async (filter) => {
      const query = `query ($filter: PetFilter, $orderBy: PetOrder) {
        pets(first: 100, filter: $filter, orderBy: $orderBy) { totalCount nodes { ${FIELDS} } } }`
      const lists = await Promise.all(orders.map((orderBy) => run(query, { filter, orderBy })))
      expect(lists).toEqual(
        orders.map((order) => {
          const expected = listPets(stored, filter, order).map((pet) => toGraphqlPet(pet))
          return { pets: { totalCount: expected.length, nodes: expected } }
        }),
      )
    })

    it.each(filterNames.filter((name) => filters[name].inRest.length > 0))(
      '%s restricts the list and all its pages in the REST API',
      async (name) => {
        for (const [value, input] of filters[name].inRest) {
          const expected = listPets(stored, { [name]: input }).map((pet) => toJsonPet(pet))
          expect(await listAll(`&${name}=${value}`)).toEqual(expected)
        }
      },
    )

    it('restricts the events to pets that match now or did before', async () => {
      await service.clear()
      const streams = await Promise.all(
        filterCombinations.map(async (filter) => ({ filter, stream: await watch(filter) })),
      )
      const events: (Event & { before?: Pet })[] = []
      const createAll = async () => {
        for (const pet of variedPets) events.push({ kind: 'created', pet: await create(pet) })
      }
      await createAll()
      // The first becomes each of the others, one field after the other.
      let before = events[0]?.pet ?? usualPet
      for (const other of variedPets.slice(1)) {
        for (const name of sentNames.filter((name) => other[name] !== before[name])) {
          const pet = withValue(before, name, other[name])
          await update(pet.id, pet, [name])
          events.push({ kind: 'updated', pet, before })
          before = pet
        }
      }
      // So that each stream has a last event, before which one too many would be seen.
      await createAll()

      for (const { filter, stream } of streams) {
        const expected = events.filter(
          ({ pet, before }) => matches(pet, filter) || (before && matches(before, filter)),
        )
        const received = await readEvents(stream, expected)
        expect(received, JSON.stringify(filter)).toEqual(toGraphqlEvents(expected))
      }
    })
  })
})

describe.each(databases)('import and export on %s:', (_, createOwn) => {
  const directory = useDirectory()
  const formats: Format[] = ['ndjson', 'csv']
  let own: TestDatabase
  let sql: Sql
  let database: Database
  beforeAll(async () => {
    own = await createOwn()
    database = await createClient(readConfig(own.env), () => undefined)
    await database.open(null)
    sql = own.connect()
    return async () => {
      await sql.end({ timeout: 1 })
      await database.close()
      await own.remove()
    }
  })

  /** The samples of all fields; those that do not come with an id have one of their own. */
  const pets = samplePets
    .map((pet, index) => (pet.id === usualPet.id ? { ...pet, id: String(index + 1) } : pet))
    .sort(byId)

  function toFile(format: Format, listed: readonly Pet[], names = fieldNames): string {
    const lines =
      format === 'csv'
        ? [names.join(), ...listed.map((pet) => toCsvRecord(pet, names))]
        : listed.map((pet) => toJsonText(pet, names))
    return `${lines.join('\n')}\n`
  }

  /** Stores the pets of a file, and no others. */
  async function importText(text: string, format: Format, keepIds: boolean): Promise<Pet[]> {
    await sql`delete from pets`
    const file = join(mkdtempSync(join(directory, 'import-')), 'pets')
    writeFileSync(file, text)
    const options = { resource: petResource, format, keepIds }
    await importItems(database, await openInput(file), options)
    return readStored(sql)
  }

  async function exportText(format: Format): Promise<string> {
    const file = join(mkdtempSync(join(directory, 'export-')), 'pets')
    await exportItems(database, petResource, { file, format, force: false })
    return readFileSync(file, 'utf8')
  }

  it.each(formats)('%s keeps every field of every pet', async (format) => {
    expect(await importText(toFile(format, pets), format, true)).toEqual(pets)
    const ndjson = (await exportText('ndjson')).trimEnd().split('\n')
    expect(ndjson.map((line) => parseExactJsonText(line))).toEqual(pets.map((pet) => toJsonPet(pet)))
    const csv = await exportText('csv')
    expect(csv.split('\n')[0]?.split(',').sort()).toEqual([...fieldNames].sort())
    expect(await importText(csv, 'csv', true)).toEqual(pets)
  })

  it.each(formats)('%s without ids keeps every other field, in the order of the file', async (format) => {
    for (const names of [fieldNames, sentNames]) {
      const stored = await importText(toFile(format, pets, names), format, false)
      expect(stored).toEqual(pets.map((pet, index) => ({ ...pet, id: stored[index]?.id })))
    }
  })

  it.each(formats)('%s may lack every field that can be null', async (format) => {
    const names = fieldNames.filter((name) => fields[name].isRequired)
    const expected = pets.map((pet) =>
      fieldNames.reduce(
        (result, name) => (names.includes(name) ? result : withValue(result, name, null)),
        pet,
      ),
    )
    expect(await importText(toFile(format, pets, names), format, true)).toEqual(expected)
  })

  it.each(sentNames)('an invalid %s is named, and nothing is stored', async (name) => {
    const { without, invalid } = writeInvalid(name)
    for (const line of [...invalid, ...(fields[name].isRequired ? [without] : [])]) {
      await expect(importText(line, 'ndjson', false)).rejects.toThrow(`line 1: ${name} `)
      expect(await readStored(sql)).toEqual([])
    }
  })
})
