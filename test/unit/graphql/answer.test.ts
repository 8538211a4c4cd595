import { describe, expect, it, vi } from 'vitest'
import { ServiceError } from '../../../src/base/service-error.ts'
import { readConfig } from '../../../src/config/config.ts'
import { OpenCost } from '../../../src/http/open-cost.ts'
import { Documents } from '../../../src/graphql/documents/documents.ts'
import { schema } from '../../../src/server/schema.ts'
import { createContext } from '../support/context.ts'
import { createFakeDatabase } from '../support/database.ts'
import { createPetDatabase } from '../support/pets.ts'
import { createGraphqlClient } from '../support/graphql-client.ts'

describe('a name that does not exist', () => {
  const [filtered, filter] = ['query ($f: PetFilter) { pets(filter: $f) { totalCount } }', 'PetFilter']
  it.each([
    ['a field', '{ petz { totalCount } }', {}, 'pets'],
    ['an argument', '{ pets(firs: 1) { totalCount } }', {}, 'first'],
    ['a type', filtered.replace(filter, 'PetFilte'), {}, filter],
    ['a field of an object', '{ pets(filter: {statuss: [sold]}) { totalCount } }', {}, 'status'],
    ['an enum value', '{ pets(filter: {status: [solt]}) { totalCount } }', {}, 'sold'],
  ])(
    'of %s is answered with the one that was meant, but not if names of the schema are to be hidden',
    async (_, query, variables, name) => {
      const shown = await createGraphqlClient().post({ query, variables })
      expect(shown.body.errors?.[0]?.message).toMatch(new RegExp(`Did you mean [^?]*"${name}"`))
      const trusted = { documents: new Map([['id', query]]), only: true }
      const { body } = await createGraphqlClient({ trusted }).post({ documentId: 'id', variables })
      expect(body.errors).toBeDefined()
      expect(JSON.stringify(body)).not.toMatch(/did you mean/i)
    },
  )
})

it('what is wrong with a variable does not reveal names, if those are to be hidden', async () => {
  const query = 'query ($f: PetFilter) { pets(filter: $f) { totalCount } }'
  const trusted = { documents: new Map([['id', query]]), only: true }
  for (const f of [{ statuss: 1 }, { status: ['solt'] }, { categoryId: {} }]) {
    const { body } = await createGraphqlClient({ trusted }).post({ documentId: 'id', variables: { f } })
    expect(body.errors).toMatchObject([{ extensions: { code: 'INVALID_VALUE' } }])
    expect(JSON.stringify(body)).not.toMatch(/namePrefix|available/)
  }
})

it.each([{ status: 'lost' }, { colour: 'red' }, {}])(
  'nor does what is wrong with the fields of an input: %j',
  async (others) => {
    const query = 'mutation ($i: NewPet!) { createPet(input: $i) { id } }'
    const trusted = { documents: new Map([['id', query]]), only: true }
    const variables = { i: { name: 'Rex', ...('status' in others && { categoryId: '7' }), ...others } }
    const { body } = await createGraphqlClient({ trusted }).post({ documentId: 'id', variables })
    expect(body.errors).toMatchObject([{ extensions: { code: 'INVALID_VALUE' } }])
    expect(JSON.stringify(body)).not.toMatch(/available|it has/)
  },
)

it('all problems of the variables are reported together, those of the length of a text, too', async () => {
  const query = 'mutation ($i: NewPet!, $key: String) { createPet(input: $i, idempotencyKey: $key) { id } }'
  const i = { name: 'x'.repeat(1_001), categoryId: 1.5, status: 'lost', colour: 'red' }
  const { body } = await createGraphqlClient().post({ query, variables: { i, key: 1 } })
  const problems = ['i.categoryId', 'i.name', 'i.status', 'i.colour', 'key'].map((argument) => ({ argument }))
  expect(body.errors).toMatchObject([
    { extensions: { code: 'INVALID_VALUE', argument: 'i.categoryId', problems } },
  ])
})

it.each([9, 10, 11])('of %i problems, ten are reported at most, and nothing that is valid', async (count) => {
  const query = 'query ($ids: [ID!]!, $n: Int) { nodes(ids: $ids) { id } pets(first: $n) { totalCount } }'
  const variables = { ids: [...Array<number>(count).fill(1.5), '7'], n: 5 }
  const { body } = await createGraphqlClient().post({ query, variables })
  const problems = Array.from({ length: Math.min(count, 10) }, (_, index) => ({ argument: `ids[${index}]` }))
  expect(body.errors).toMatchObject([{ extensions: { problems } }])
})

it('a list of which one item fails is answered alike, compiled or not', async () => {
  const client = createGraphqlClient()
  const answers = []
  for (let time = 0; time < 3; time += 1) {
    const database = createFakeDatabase(() => {
      throw new ServiceError('TIMEOUT')
    })
    answers.push(await client.post({ query: '{ nodes(ids: [1, "x", 2]) { id } }' }, createContext(database)))
  }
  const expected = { status: 504, body: { data: null, errors: [{ path: ['nodes'] }] } }
  expect(answers).toMatchObject([expected, expected, expected])
})

it('an error is at its place in the text that was sent, whatever was prepared', async () => {
  const client = createGraphqlClient()
  const fragment = 'fragment F on Query { a: pets(filter: {namePrefix: PREFIX}) { totalCount } }'
  const text = (prefix: string) =>
    `${fragment.replace('PREFIX', prefix)} query ($n: Int) { ...F pet(id: 1) { id } pets(first: $n) { totalCount } }`
  for (const prefix of ['"a"', '"abcdef"', '""']) {
    const query = text(prefix)
    const { body } = await client.post({ query, variables: { n: 'x' } })
    expect(body.errors).toMatchObject([{ locations: [{ line: 1, column: query.indexOf('$n') + 1 }] }])
  }
})

describe('an invalid variable is named by the path to its value', () => {
  const filter = 'query ($f: PetFilter) { pets(filter: $f) { totalCount } }'
  const create = 'mutation ($i: NewPet!) { createPet(input: $i) { id } }'
  it.each<[string, string, object, string]>([
    ['of a query', filter, { f: { status: 1 } }, 'f.status'],
    ['of a list', filter, { f: { status: ['sold', 1] } }, 'f.status[1]'],
    ['of a mutation', create, { i: { name: '', categoryId: 'x' } }, 'i.categoryId'],
    ['of which a field is missing', create, { i: { name: '' } }, 'i.categoryId'],
    ['with an unknown field', filter, { f: { colour: 1 } }, 'f.colour'],
    ['that is missing', create, {}, 'i'],
    ['that is null', create, { i: null }, 'i'],
    ['of a subscription', 'subscription ($f: PetFilter) { petChanged(filter: $f) { kind } }', { f: 1 }, 'f'],
    [
      'of one of two operations',
      `query A { __typename } ${filter.replace('query', 'query B')}`,
      { f: 1 },
      'f',
    ],
  ])('%s', async (_, query, variables, argument) => {
    const operationName = query.includes('query B') ? 'B' : undefined
    const { status, body } = await createGraphqlClient().post({ query, operationName, variables })
    const errors = [{ extensions: { code: 'INVALID_VALUE', argument } }]
    expect([status, body]).toMatchObject([400, { errors }])
    expect(body.data).toBeUndefined()
  })

  it.each([
    ['a default stands for it', 'query ($n: Int! = 1) { pets(first: $n) { nodes { id } } }', {}],
    ['it may be null', filter, {}],
    ['it may be null, and has the name of a method', filter.replaceAll('$f', '$valueOf'), {}],
    ['nothing declares it', '{ __typename }', { id: {} }],
  ])('unless %s', async (_, query, variables) => {
    const context = createContext(createPetDatabase())
    expect((await createGraphqlClient().post({ query, variables }, context)).body.errors).toBeUndefined()
  })
})

describe('a field that fails for the server', () => {
  const find = (id: string) => `pet(id: "${id}") { id }`
  it.each([
    ['alone', `{ ${find('1')} }`, 503],
    ['beside one that is answered', `{ first: __typename second: ${find('1')} }`, 200],
  ])('%s decides the status only if nothing is answered', async (_, query, status) => {
    const database = createFakeDatabase(() => {
      throw new ServiceError('DATABASE_UNAVAILABLE')
    })
    const answer = await createGraphqlClient().post({ query }, createContext(database))
    expect([answer.status, answer.headers.has('retry-after')]).toEqual([status, status === 503])
    expect(answer.body.errors).toMatchObject([{ extensions: { code: 'DATABASE_UNAVAILABLE' } }])
  })
})

it.each([
  ['a document that is executed', '{ __typename }', 1],
  ['no document that is invalid', '{ colour }', 0],
  ['no document beyond a limit', `{ ${'a: __typename '.repeat(31)} }`, 0],
])('the second request compiles %s', async (_, query, compiled) => {
  const { graphqlLimits } = readConfig({})
  const documents = new Documents({ schema, limits: graphqlLimits, hidesNames: false })
  const client = createGraphqlClient({ documents })
  for (let time = 0; time < 2; time += 1) await client.post({ query })
  expect(documents.compiledCount).toBe(compiled)
})

describe('a mutation', () => {
  const query = 'mutation { updatePet(id: "1", input: {}) { id } }'

  it('is not run by GET', async () => {
    for (let time = 0; time < 3; time += 1) {
      const answer = await createGraphqlClient().get({ query })
      expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'POST'])
      expect(answer.body.errors).toMatchObject([{ extensions: { code: 'METHOD_NOT_ALLOWED' } }])
    }
  })

  it('is not run with a read-only key, and before that key holds open cost', async () => {
    const openCost = new OpenCost()
    const hold = vi.spyOn(openCost, 'hold')
    const context = createContext(createPetDatabase(), {
      openCost,
      apiKey: { name: 'client', scope: 'read', isValid: true },
    })
    const answer = await createGraphqlClient().post({ query }, context)
    expect(answer.status).toBe(403)
    expect(answer.body.errors).toMatchObject([{ extensions: { code: 'FORBIDDEN' } }])
    expect(hold).not.toHaveBeenCalled()
  })
})
