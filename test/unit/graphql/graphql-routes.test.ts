/** What invalid and long requests cost. */
import { setImmediate } from 'node:timers/promises'
import { describe, expect, it, vi } from 'vitest'
import { OpenCost } from '../../../src/http/open-cost.ts'
import { FILTERED, INVALID_REQUESTS, unknownFields } from '../../support/invalid-requests.ts'
import { createContext } from '../support/context.ts'
import { createFakeDatabase, findNothing } from '../support/database.ts'
import { createPetDatabase } from '../support/pets.ts'
import { createGraphqlClient } from '../support/graphql-client.ts'

describe('the answer to a document that is invalid in many places has few errors, and is not large', () => {
  it.each(Object.entries(INVALID_REQUESTS))('%s', async (_, request) => {
    const client = createGraphqlClient()
    for (let time = 0; time < 3; time += 1) {
      const { body } = await client.post(request)
      expect(body.errors?.length).toBeGreaterThan(0)
      expect(body.errors?.length).toBeLessThanOrEqual(11)
      expect(JSON.stringify(body).length).toBeLessThan(64 * 2 ** 10)
      expect(body.data).toBeUndefined()
    }
  })

  it('with a compiled document', async () => {
    const client = createGraphqlClient()
    for (let time = 0; time < 3; time += 1)
      expect(
        (await client.post({ query: FILTERED }, createContext(createPetDatabase()))).body.errors,
      ).toBeUndefined()
    const { body } = await client.post({ query: FILTERED, variables: { f: unknownFields(990) } })
    expect(body.errors).toHaveLength(1)
    expect(body.errors?.[0]?.extensions.problems).toHaveLength(10)
  })
})

it.each([
  ['2147483647', '{ pets { totalCount } }', { data: { pets: { totalCount: 2_147_483_647 } } }],
  ['2147483648', '{ pets { totalCount } }', { errors: [{ path: ['pets', 'totalCount'] }] }],
  ['2147483648', '{ petCounts { count } }', { errors: [{ path: ['petCounts', 3, 'count'] }] }],
])(
  'a count that is no Int is an error, whether the document is compiled or not: %s, %s',
  async (count, query, answer) => {
    const client = createGraphqlClient()
    const database = createFakeDatabase((statement) => {
      if (statement.name === 'listPets') return findNothing(statement)
      return [query.includes('totalCount') ? [count] : [null, count]]
    })
    for (let time = 0; time < 3; time += 1)
      expect((await client.post({ query }, createContext(database))).body).toMatchObject(answer)
  },
)

it('a request that exceeds the open cost of its key is rejected, whether its document is compiled or not', async () => {
  const client = createGraphqlClient()
  const query = '{ pets(first: 3) { nodes { id } } }'
  const ask = (open: number) => {
    const openCost = new OpenCost()
    openCost.hold('client', open, { destroyed: false, once: () => undefined })
    return client.post({ query }, createContext(createPetDatabase(), { openCost }))
  }
  // A page of three costs 3, `nodes` 1, and their ids 3.
  for (let time = 0; time < 3; time += 1) {
    expect(await ask(20_000 - 7)).toMatchObject({ status: 200 })
    const refused = await ask(20_000 - 6)
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1'])
    expect(refused.body.errors).toMatchObject([{ extensions: { code: 'OVERLOADED' } }])
  }
})

describe('requests take turns', () => {
  const SHORT_DOCUMENT = 'query ($f: PetFilter) { pets(filter: $f) { totalCount } }'
  const long = (index: number) => `query q${index} { __typename } # ${'x'.repeat(16_000)}`

  /** Each turn has time for one of them. */
  function createScene() {
    let now = 0
    vi.spyOn(performance, 'now').mockImplementation(() => (now += 4))
    const client = createGraphqlClient()
    /** Sends requests at once. @returns how many were answered in each turn of the event loop, and how many were refused */
    const send = async (queries: string[], name = 'client') => {
      const turns: number[] = []
      let [answered, refused] = [0, 0]
      const all = queries.map(async (query) => {
        const { body } = await client.post(
          { query },
          createContext(createPetDatabase(), { apiKey: { name, scope: 'read', isValid: true } }),
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

  it('those of a key beyond 250 are rejected, until others have begun, and those of another key still wait', async () => {
    const { send } = createScene()
    const many = (count: number) => Array.from({ length: count }, (_, index) => long(index))
    const [one, other] = await Promise.all([send(many(300)), send(many(100), 'other')])
    expect([one.refused, other.refused]).toEqual([50, 0])
    expect((await send(many(100))).refused).toBe(0)
  })
})
