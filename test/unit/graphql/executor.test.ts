/** What invalid and long requests cost. */
import { setImmediate } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { Turns } from '../../../src/base/turns.ts'
import { ApiKey } from '../../../src/keys/api-key.ts'
import { createContext } from '../support/context.ts'
import { createPetDatabase } from '../support/pets.ts'
import { createExecutorClient } from '../support/executor.ts'

const many = (count: number, text: (index: number) => string, between = ' ') =>
  Array.from({ length: count }, (_, index) => text(index)).join(between)
const FILTERED = 'query ($f: PetFilter) { pets(filter: $f, first: 1) { totalCount } }'
const unknownFields = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`field${i}`, i]))

/** Invalid in hundreds of places, or with long texts. */
const INVALID: Record<string, { query: string; variables?: object; operationName?: string }> = {
  'unknown fields of a literal': {
    query: `{ pets(filter: {${many(640, (i) => `a${i}: 1`)}}) { totalCount } }`,
  },
  'unknown fields of literals in a list': {
    query: `{ pets(filter: [${many(300, (i) => `{a${i}: 1}`)}]) { totalCount } }`,
  },
  'unknown enum values': {
    query: `{ pets(filter: {status: [${many(1_900, (i) => `a${i}`)}]}) { totalCount } }`,
  },
  'lists in lists': {
    query: `{ pets(filter: {status: ${'['.repeat(900)}${']'.repeat(900)}}) { totalCount } }`,
  },
  'unknown fields of a type': { query: `{ pet(id: 1) { ${many(1_900, (i) => `name${i}`)} } }` },
  'unknown arguments': { query: `{ pets(${many(600, (i) => `a${i}: 1`)}) { totalCount } }` },
  'unknown directives': { query: `{ pet(id: 1) { id ${many(900, (i) => `@a${i}`)} } }` },
  'unknown fragments': { query: `{ pet(id: 1) { ${many(900, (i) => `...a${i}`)} } }` },
  'unknown types of variables': {
    query: `query (${many(450, (i) => `$a${i}: A${i}`)}) { pets { totalCount } }`,
  },
  'a variable that is declared many times': {
    query: `query (${many(450, () => '$a: Int')}) { pets(first: $a) { totalCount } }`,
  },
  'invalid defaults': { query: `query (${many(330, (i) => `$a${i}: Int = x`)}) { pets { totalCount } }` },
  'aliases in conflict': { query: `{ ${many(150, (i) => `a: pets(first: ${i + 1}) { totalCount }`)} }` },
  'fragments in a circle': {
    query: `{ ...f0 } ${many(150, (i) => `fragment f${i} on Query { ...f${(i + 1) % 150} }`)}`,
  },
  'operations with one name': { query: many(280, () => 'query a { __typename }'), operationName: 'a' },
  'a long name': { query: `{ ${'x'.repeat(16_000)} }` },
  'a long string': { query: `{ pets(first: "${'x'.repeat(16_000)}") { totalCount } }` },
  'unknown fields of a variable': { query: FILTERED, variables: { f: unknownFields(990) } },
  'long names of fields in a variable': {
    query: FILTERED,
    variables: { f: { ['\u0001'.repeat(10_000)]: 1 } },
  },
  'unknown enum values in a variable': {
    query: FILTERED,
    variables: { f: { status: Array(990).fill('x'.repeat(50)) } },
  },
  'a long enum value in a variable': {
    query: FILTERED,
    variables: { f: { status: ['\u0001'.repeat(10_000)] } },
  },
  'missing variables': {
    query: `query (${many(300, (i) => `$a${i}: Int!`)}) { ${many(30, (i) => `a${i}: pets(first: $a${i}) { totalCount }`)} }`,
  },
}

describe('the answer to a document that is invalid in many places has few errors, and is not large', () => {
  it.each(Object.entries(INVALID))('%s', async (_, request) => {
    const client = createExecutorClient()
    for (let time = 0; time < 3; time += 1) {
      const { body } = await client.post(request)
      expect(body.errors?.length).toBeGreaterThan(0)
      expect(body.errors?.length).toBeLessThanOrEqual(11)
      expect(JSON.stringify(body).length).toBeLessThan(64 * 2 ** 10)
      expect(body.data).toBeUndefined()
    }
  })

  it('with a compiled document, which leaves them to graphql-js', async () => {
    const client = createExecutorClient()
    for (let time = 0; time < 3; time += 1)
      expect(
        (await client.post({ query: FILTERED }, createContext(createPetDatabase()))).body.errors,
      ).toBeUndefined()
    const { body } = await client.post({ query: FILTERED, variables: { f: unknownFields(990) } })
    expect(body.errors).toHaveLength(11)
  })
})

describe('requests take turns', () => {
  const SHORT_DOCUMENT = 'query ($f: PetFilter) { pets(filter: $f) { totalCount } }'
  const long = (index: number) => `query q${index} { __typename } # ${'x'.repeat(16_000)}`

  /** Each turn has time for one of them. */
  function createScene() {
    let now = 0
    const client = createExecutorClient({}, new Turns(() => (now += 4)))
    /** Sends requests at once. @returns how many were answered in each turn of the event loop, and how many were refused */
    const send = async (queries: string[], name = 'client') => {
      const turns: number[] = []
      let [answered, refused] = [0, 0]
      const all = queries.map(async (query) => {
        const { body } = await client.post(
          { query },
          createContext(createPetDatabase(), { apiKey: new ApiKey(name, 'read') }),
        )
        answered += 1
        if (!body.errors) return
        expect(body.errors[0]?.extensions.code).toBe('OVERLOADED')
        refused += 1
      })
      for (let before = 0; answered < queries.length; before = answered) {
        await setImmediate()
        turns.push(answered - before)
      }
      await Promise.all(all)
      return { turns, refused }
    }
    return { send }
  }

  it('unless their document is compiled', async () => {
    const { send } = createScene()
    for (let time = 0; time < 2; time += 1) await send([SHORT_DOCUMENT])
    const { turns } = await send(Array.from({ length: 50 }, () => SHORT_DOCUMENT))
    expect(turns.length).toBeLessThan(10)
  })

  it.each<[string, (index: number) => string]>([
    ['long ones', long],
    ['short ones with unknown documents', (index) => `query q${index} { __typename }`],
  ])('%s', async (_, query) => {
    const { send } = createScene()
    const { turns } = await send(Array.from({ length: 20 }, (_, index) => query(index)))
    expect(turns.length).toBeGreaterThanOrEqual(19)
  })

  it('those of a key beyond 2 MB are refused, until others have begun, and another key still waits', async () => {
    const { send } = createScene()
    const many = (count: number) => Array.from({ length: count }, (_, index) => long(index))
    const [one, other] = await Promise.all([send(many(200)), send(many(100), 'other')])
    expect([one.refused > 50 && one.refused < 80, other.refused]).toEqual([true, 0])
    expect((await send(many(100))).refused).toBe(0)
  })
})
