/** The graph: what it answers, and what it says when it does not. */
import { getIntrospectionQuery } from 'graphql'
import { auditServer } from 'graphql-http'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { KEY, startService, type TestService } from '../support/service.ts'

let service: TestService
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.stop())

const nobody = { id: '999999999' }

async function create(name: string, status: string | null = null): Promise<string> {
  const query = 'mutation ($input: NewPet!) { createPet(input: $input) { id } }'
  const { data } = await service.client.graphql(query, { input: { name, categoryId: '7', status } })
  return (data as { createPet: { id: string } }).createPet.id
}

describe('pets', () => {
  const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g']
  beforeEach(async () => {
    await service.clear()
    for (const name of names) await create(name, name < 'c' ? 'sold' : name < 'f' ? 'available' : null)
  })

  interface Page {
    nodes: { name: string }[]
    edges: { cursor: string; node: { name: string } }[]
    pageInfo: {
      hasNextPage: boolean
      hasPreviousPage: boolean
      startCursor: string | null
      endCursor: string | null
    }
    totalCount: number
  }
  async function list(variables: object): Promise<Page> {
    const { data, errors } = await service.client.graphql(
      `query ($first: Int, $after: String, $last: Int, $before: String, $filter: PetFilter) {
        pets(first: $first, after: $after, last: $last, before: $before, filter: $filter) {
          nodes { name }
          edges { cursor node { name } }
          pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
          totalCount
        }
      }`,
      variables,
    )
    expect(errors).toBeUndefined()
    return (data as { pets: Page }).pets
  }
  const namesOf = ({ nodes }: Page) => nodes.map(({ name }) => name).join('')

  it('are listed in the order of their creation, with edges that match', async () => {
    const page = await list({})
    expect(namesOf(page)).toBe('abcdefg')
    expect(page.edges.map(({ node }) => node)).toEqual(page.nodes)
    expect(page.pageInfo).toEqual({
      hasNextPage: false,
      hasPreviousPage: false,
      startCursor: page.edges[0]?.cursor,
      endCursor: page.edges.at(-1)?.cursor,
    })
    expect(page.totalCount).toBe(7)
  })

  it('are walked forwards', async () => {
    const walked: string[] = []
    let after: string | null = null
    for (;;) {
      const page: Page = await list({ first: 3, after })
      walked.push(namesOf(page))
      expect(page.pageInfo.hasPreviousPage).toBe(after !== null)
      after = page.pageInfo.endCursor
      if (!page.pageInfo.hasNextPage) break
    }
    expect(walked).toEqual(['abc', 'def', 'g'])
  })

  it('are walked backwards', async () => {
    const walked: string[] = []
    let before: string | null = null
    for (;;) {
      const page: Page = await list({ last: 3, before })
      walked.push(namesOf(page))
      expect(page.pageInfo.hasNextPage).toBe(before !== null)
      before = page.pageInfo.startCursor
      if (!page.pageInfo.hasPreviousPage) break
    }
    expect(walked).toEqual(['efg', 'bcd', 'a'])
  })

  it('are filtered by status, and counted so', async () => {
    const page = await list({ first: 1, filter: { status: ['sold', 'available'] } })
    expect([namesOf(page), page.totalCount, page.pageInfo.hasNextPage]).toEqual(['a', 5, true])
    expect(namesOf(await list({ filter: { status: [] } }))).toBe('')
    expect(namesOf(await list({ filter: { status: Array.from({ length: 5_000 }, () => 'sold') } }))).toBe(
      'ab',
    )
    expect(namesOf(await list({ filter: { status: null } }))).toBe('abcdefg')
  })

  it('say what lies around an empty page', async () => {
    const { pageInfo } = await list({})
    const beyond = await list({ after: pageInfo.endCursor })
    expect(beyond).toMatchObject({
      nodes: [],
      pageInfo: { hasNextPage: false, hasPreviousPage: true, startCursor: null, endCursor: null },
    })
    const before = await list({ last: 1, before: pageInfo.startCursor })
    expect(before).toMatchObject({ nodes: [], pageInfo: { hasNextPage: true, hasPreviousPage: false } })
  })

  it.each([
    [{ first: 0 }, 'first'],
    [{ first: 101 }, 'first'],
    [{ last: -1 }, 'last'],
    [{ first: 1, last: 1 }, 'last'],
    [{ after: 'aWQ6' }, 'after'],
    [{ before: 'aWQ6MQ==' }, 'before'],
    [{ after: '' }, 'after'],
  ])('refuse %j, naming %s', async (variables, argument) => {
    const { data, errors } = await service.client.graphql(
      'query ($first: Int, $after: String, $last: Int, $before: String) { pets(first: $first, after: $after, last: $last, before: $before) { totalCount } }',
      variables,
    )
    expect(data).toBeNull()
    expect(errors).toMatchObject([
      {
        message: expect.stringContaining(argument),
        path: ['pets'],
        extensions: { code: 'INVALID_VALUE', argument },
      },
    ])
  })
})

describe('one pet', () => {
  it.each(['999999999', 'abc', '', '1.0', '9223372036854775808'])('with the id %j is null', async (id) => {
    expect(await service.client.graphql('query ($id: ID!) { pet(id: $id) { id } }', { id })).toEqual({
      status: 200,
      data: { pet: null },
    })
  })

  it('is updated where something is said, and only there', async () => {
    const id = await create('Rex', 'available')
    const update = async (input: object) => {
      const query =
        'mutation ($id: ID!, $input: PetChanges!) { updatePet(id: $id, input: $input) { name categoryId status } }'
      return (await service.client.graphql(query, { id, input })).data?.updatePet
    }
    expect(await update({})).toEqual({ name: 'Rex', categoryId: '7', status: 'available' })
    expect(await update({ status: 'sold' })).toEqual({ name: 'Rex', categoryId: '7', status: 'sold' })
    expect(await update({ name: 'Max', categoryId: '8' })).toEqual({
      name: 'Max',
      categoryId: '8',
      status: 'sold',
    })
    expect(await update({ status: null })).toEqual({ name: 'Max', categoryId: '8', status: null })
  })

  it('keeps what a variable that is not given would have changed', async () => {
    const id = await create('Rex', 'available')
    const query = `mutation ($id: ID!, $status: PetStatus) { updatePet(id: $id, input: { name: "Max", status: $status }) { name status } }`
    expect((await service.client.graphql(query, { id })).data).toEqual({
      updatePet: { name: 'Max', status: 'available' },
    })
  })

  it('is deleted, and answered as it was', async () => {
    const id = await create('Rex', 'sold')
    const query = 'mutation ($id: ID!) { deletePet(id: $id) { id name status } }'
    expect((await service.client.graphql(query, { id })).data).toEqual({
      deletePet: { id, name: 'Rex', status: 'sold' },
    })
    expect((await service.client.send(`/v1/pets/${id}`)).status).toBe(404)
    const again = await service.client.graphql(query, { id })
    expect(again.errors).toMatchObject([{ extensions: { code: 'PET_NOT_FOUND', argument: 'id' } }])
  })

  it.each([
    [
      'createPet of a name with U+0000',
      'mutation { createPet(input: { name: "a\\u0000", categoryId: 1 }) { id } }',
      'input.name',
    ],
    [
      'updatePet to a null name',
      'mutation ($id: ID!) { updatePet(id: $id, input: { name: null }) { id } }',
      'input.name',
    ],
    [
      'updatePet to a null category',
      'mutation ($id: ID!) { updatePet(id: $id, input: { categoryId: null }) { id } }',
      'input.categoryId',
    ],
  ])('refuses %s', async (_, query, argument) => {
    const { errors } = await service.client.graphql(query, nobody)
    expect(errors).toMatchObject([{ extensions: { code: 'INVALID_VALUE', argument } }])
  })

  it('that does not exist cannot be changed', async () => {
    const { errors } = await service.client.graphql(
      'mutation ($id: ID!) { updatePet(id: $id, input: { name: "x" }) { id } }',
      nobody,
    )
    expect(errors).toMatchObject([{ extensions: { code: 'PET_NOT_FOUND' } }])
  })
})

describe('GraphQL over HTTP', () => {
  it('passes the whole graphql-http audit', async () => {
    const results = await auditServer({
      url: `${service.url}/graphql`,
      fetchFn: (url: string, init?: RequestInit) =>
        fetch(url, {
          ...init,
          headers: { ...(init?.headers as Record<string, string>), authorization: `Bearer ${KEY}` },
        }),
    })
    expect(results.filter(({ status }) => status !== 'ok').map(({ id, name }) => `${id} ${name}`)).toEqual([])
    expect(results.length).toBe(61)
  })

  it.each([
    ['GET', { method: 'GET' }, '?query={__typename}'],
    ['HEAD', { method: 'HEAD' }, '?query={__typename}'],
    ['POST', { method: 'POST', body: { query: '{__typename}' } }, ''],
    ['introspection', { method: 'POST', body: { query: '{__schema{queryType{name}}}' } }, ''],
    [
      'an event stream',
      { method: 'POST', body: { query: '{__typename}' }, headers: { accept: 'text/event-stream' } },
      '',
    ],
    ['PUT', { method: 'PUT' }, ''],
    [
      'HTML with a query',
      { method: 'POST', body: { query: '{__typename}' }, headers: { accept: 'text/html' } },
      '',
    ],
  ])('needs a key: %s', async (_, request, search) => {
    const response = await service.client.send(`/graphql${search}`, { ...request, key: null })
    expect(response.status).toBe(401)
    expect(response.headers['www-authenticate']).toBe('Bearer realm="pet-store"')
    if (request.method !== 'HEAD')
      expect(response.json).toMatchObject({ errors: [{ extensions: { code: 'UNAUTHORIZED' } }] })
  })

  it('answers 405 with Allow to other methods', async () => {
    const { status, headers } = await service.client.send('/graphql', { method: 'DELETE' })
    expect([status, headers.allow]).toEqual([405, 'GET, HEAD, OPTIONS, POST'])
  })

  it('takes a media type in any case', async () => {
    const { json } = await service.client.send('/graphql', {
      method: 'POST',
      body: { query: '{__typename}' },
      headers: { 'content-type': 'Application/JSON' },
    })
    expect(json).toEqual({ data: { __typename: 'Query' } })
  })

  it.each([
    [415, { method: 'POST', body: 'x', headers: { 'content-type': 'text/plain' } }],
    [415, { method: 'POST' }],
    [406, { method: 'POST', body: { query: '{__typename}' }, headers: { accept: 'text/plain' } }],
  ])('answers %d with a code', async (expected, request) => {
    const { status, json } = await service.client.send('/graphql', request)
    expect(status).toBe(expected)
    expect(json).toMatchObject({
      errors: [{ message: expect.any(String), extensions: { code: expect.any(String) } }],
    })
  })

  it.each(['variables={', 'extensions={'])(
    'answers 400 to parameters that are no JSON: %s',
    async (parameters) => {
      const { status, json } = await service.client.send(`/graphql?query={__typename}&${parameters}`)
      expect([status, json]).toMatchObject([400, { errors: [{ extensions: { code: 'INVALID_REQUEST' } }] }])
    },
  )

  it.each([
    ['text/plain', (query: string) => JSON.stringify({ query })],
    ['application/x-www-form-urlencoded', (query: string) => `query=${encodeURIComponent(query)}`],
    ['application/graphql', (query: string) => query],
    [
      'multipart/form-data; boundary=x',
      (query: string) =>
        `--x\r\nContent-Disposition: form-data; name="operations"\r\n\r\n${JSON.stringify({ query })}\r\n--x--\r\n`,
    ],
  ])('takes nothing that a page of another origin may send unasked: %s', async (type, encode) => {
    await service.clear()
    const { status, headers } = await service.client.send('/graphql', {
      method: 'POST',
      headers: { 'content-type': type },
      body: encode('mutation { createPet(input: { name: "x", categoryId: 1 }) { id } }'),
    })
    expect([status, headers.accept]).toEqual([415, 'application/json'])
    expect((await service.client.graphql('{ pets { totalCount } }')).data).toEqual({
      pets: { totalCount: 0 },
    })
  })

  it('takes variables of any depth', async () => {
    const body = `{"query":"{__typename}","variables":{"a":${'['.repeat(20_000)}${']'.repeat(20_000)}}}`
    expect((await service.client.send('/graphql', { method: 'POST', body })).json).toEqual({
      data: { __typename: 'Query' },
    })
  })

  it('says what its answers depend on, and that nobody but the holder of the key may keep them', async () => {
    const { headers } = await service.client.send('/graphql', {
      method: 'POST',
      body: { query: '{__typename}' },
    })
    expect(headers).toMatchObject({ vary: 'Accept, Authorization', 'cache-control': 'private, no-cache' })
  })

  it('lets GraphiQL introspect', async () => {
    const { data } = await service.client.graphql(
      getIntrospectionQuery({ inputValueDeprecation: true, schemaDescription: true }),
    )
    expect(data).toHaveProperty('__schema')
  })

  it('runs no mutation by GET', async () => {
    const query = encodeURIComponent('mutation { createPet(input: { name: "x", categoryId: 1 }) { id } }')
    const { status } = await service.client.send(`/graphql?query=${query}`)
    expect(status).toBe(405)
  })

  it.each([
    ['null', 'null'],
    ['no JSON', '{'],
    ['an empty body', ''],
    ['an array', '[{"query":"{__typename}"}]'],
    ['no query', '{}'],
    ['a syntax error', { query: '{' }],
    ['an unknown field', { query: '{ nothing }' }],
    ['an unknown operation', { query: 'query a { __typename }', operationName: 'b' }],
    ['no UTF-8', Buffer.from([0x22, 0xff, 0x22])],
    ['great depth', { query: `{ pets { ${'nodes { '.repeat(3000)} id ${'}'.repeat(3000)} } }` }],
    ['a long comment', { query: `{ __typename } # ${'x'.repeat(20_000)}` }],
    [
      'fragments that double',
      {
        query: `{ pets { nodes { ...f0 } } } ${Array.from({ length: 40 }, (_, i) => `fragment f${i} on Pet { ...f${i + 1} ...f${i + 1} }`).join(' ')} fragment f40 on Pet { id }`,
      },
    ],
    [
      'introspection that multiplies',
      {
        query: `{ __schema { ${Array.from({ length: 30 }, (_, i) => `a${i}: types { ...f }`).join(' ')} } } fragment f on __Type { ${Array.from({ length: 30 }, (_, i) => `b${i}: name`).join(' ')} }`,
      },
    ],
    ['great length', { query: `{ ${'__typename '.repeat(5000)} }` }],
  ])('answers %s with a code and without internals', async (_, body) => {
    const response = await service.client.send('/graphql', { method: 'POST', body })
    expect(response.status, response.text).toBeLessThan(500)
    expect(response.json).toMatchObject({
      errors: [{ message: expect.any(String), extensions: { code: 'INVALID_REQUEST' } }],
    })
    expect(response.text).not.toMatch(/SyntaxError|TypeError|node_modules|\.ts|\.js/)
  })

  it('answers a body that is too large with 413', async () => {
    const { status, json } = await service.client.send('/graphql', {
      method: 'POST',
      body: { query: ' '.repeat(64 * 1024) },
    })
    expect(status).toBe(413)
    expect(json).toMatchObject({ errors: [{ extensions: { code: 'PAYLOAD_TOO_LARGE' } }] })
  })
})

describe('errors', () => {
  const createPet =
    'mutation ($input: NewPet!, $key: String) { createPet(input: $input, idempotencyKey: $key) { id } }'

  it('of variables come all at once, each with what is at fault', async () => {
    const input = { name: 1, categoryId: 'x', status: 'Sold', colour: 'red' }
    const { errors } = await service.client.graphql(createPet, { input, key: 7 })
    expect(errors?.map(({ extensions }) => [extensions.code, extensions.argument])).toEqual(
      ['input.categoryId', 'input.name', 'input.status', 'input.colour', 'key'].map((argument) => [
        'INVALID_VALUE',
        argument,
      ]),
    )
  })

  it.each([
    ['a variable that is missing', {}, 'input'],
    ['a field that is missing', { input: { name: 'Rex' } }, 'input.categoryId'],
    ['no object', { input: [] }, 'input'],
    ['a rounded number', { input: { name: 'Rex', categoryId: 2 ** 53 } }, undefined],
  ])('say what is at fault: %s', async (_, variables, argument) => {
    const { errors } = await service.client.graphql(createPet, variables)
    expect(errors?.[0]?.extensions).toMatchObject({ code: 'INVALID_VALUE', ...(argument && { argument }) })
  })

  it('of values come all at once, and nothing is changed', async () => {
    await service.clear()
    const variables = { input: { name: 'a\0', categoryId: '1' }, key: 'not one' }
    const { errors } = await service.client.graphql(createPet, variables)
    expect(errors).toMatchObject([
      {
        message: expect.stringMatching(/^name must .*\. The idempotency key must /) as string,
        path: ['createPet'],
        extensions: {
          code: 'INVALID_VALUE',
          argument: 'input.name',
          problems: [
            { argument: 'input.name', message: expect.any(String) as string },
            { argument: 'idempotencyKey', message: expect.any(String) as string },
          ],
        },
      },
    ])
    expect((await service.client.graphql('{ pets { totalCount } }')).data).toEqual({
      pets: { totalCount: 0 },
    })
  })

  it.each([
    ['{ petz { id } }', {}],
    ['{ pets(firs: 1) { totalCount } }', {}],
    ['{ pets(filter: {statu: [sold]}) { totalCount } }', {}],
    ['{ pets(filter: {status: [solt]}) { totalCount } }', {}],
    ['query ($filter: PetFilte) { pets(filter: $filter) { totalCount } }', {}],
    ['query ($filter: PetFilter) { pets(filter: $filter) { totalCount } }', { filter: { status: ['solt'] } }],
    ['query ($filter: PetFilter) { pets(filter: $filter) { totalCount } }', { filter: { statu: [] } }],
    ['subscription ($filter: PetFilter) { petChanged(filter: $filter) { kind } }', { filter: { statu: [] } }],
  ])('suggest nothing: %s', async (query, variables) => {
    const { text } = await service.client.send('/graphql', {
      method: 'POST',
      headers: { accept: 'text/event-stream, application/json' },
      body: { query, variables },
    })
    expect(text).toMatch(/INVALID_(REQUEST|VALUE)/)
    expect(text).not.toMatch(/did you mean/i)
  })
})

describe('limits', () => {
  const repeat = (times: number, text: (index: number) => string) =>
    Array.from({ length: times }, (_, index) => text(index)).join(' ')
  const deep = (levels: number) =>
    `{ __schema { types { ${'ofType { '.repeat(levels - 3)} name ${'} '.repeat(levels - 3)} } } }`

  it.each([
    ['length', 16_385, `{ __typename } #${'x'.repeat(16_385 - 16)}`, 16_384],
    ['depth', 21, deep(21), 20],
    [
      'depth',
      21,
      `{ __schema { types { ...t } } } fragment t on __Type { ${'ofType { '.repeat(18)} name ${'} '.repeat(18)} }`,
      20,
    ],
    ['aliases', 31, `{ ${repeat(31, (index) => `a${index}: __typename`)} }`, 30],
    [
      'aliases',
      32,
      `{ ...f ...f } fragment f on Query { ${repeat(16, (index) => `a${index}: __typename`)} }`,
      30,
    ],
    ['directives', 31, `{ __typename ${repeat(31, () => '... @include(if: true) { __typename }')} }`, 30],
    [
      'cost',
      2_102,
      `{ pets(last: 100) { nodes { ${repeat(10, (i) => `a${i}: id b${i}: name`)} id } } }`,
      2_000,
    ],
    [
      'cost',
      2_102,
      `query ($first: Int) { pets(first: $first) { nodes { ${repeat(10, (i) => `a${i}: id b${i}: name`)} id } } }`,
      2_000,
    ],
    [
      'cost',
      2_102,
      `query ($last: Int = 100) { pets(last: $last) { edges { node { ${repeat(19, (i) => `a${i}: id`)} id } } } }`,
      2_000,
    ],
    ['cost', 2_255, `{ ${repeat(5, (index) => `a${index}: pets { totalCount }`)} }`, 2_000],
    [
      'cost',
      2_002,
      `{ pets(first: 100) { ...c } } fragment c on PetConnection { edges { node { ${repeat(19, (i) => `a${i}: id`)} } } }`,
      2_000,
    ],
  ])('%s: %d is refused, with the limit', async (measure, value, query, limit) => {
    const { errors } = await service.client.graphql(query, { first: 100 })
    expect(errors?.map(({ message }) => message)).toEqual([
      `The document's ${measure} is ${value}; ${limit} is the limit.`,
    ])
  })

  it.each([
    ['application/json', 200],
    ['application/graphql-response+json', 400],
  ])('are told of with the status that goes with %s', async (accept, expected) => {
    const { status } = await service.client.send('/graphql', {
      method: 'POST',
      headers: { accept },
      body: { query: deep(21) },
    })
    expect(status).toBe(expected)
  })

  it('tokens: 2,001 are refused', async () => {
    const { errors } = await service.client.graphql(`{ ${'a '.repeat(2_000)} }`)
    expect(errors?.[0]?.message).toMatch(/2000 tokens/)
  })

  it.each([
    ['depth', deep(20)],
    ['aliases', `{ ${repeat(30, (index) => `a${index}: __typename`)} }`],
    [
      'cost',
      `{ pets(first: 100) { edges { cursor node { id name categoryId status } } nodes { id name categoryId status } pageInfo { endCursor } totalCount } }`,
    ],
  ])('%s: what is within is answered', async (_, query) => {
    expect((await service.client.graphql(query)).errors).toBeUndefined()
  })

  it('cost: each combination of values is a search', async () => {
    const categoryId = Array.from({ length: 50 }, (_, id) => String(id))
    const status = ['available', 'pending', 'sold']
    const [first, second] = [
      'pets(filter: $f) { nodes { id } }',
      `pets(filter: {status: [${status.join()}], categoryId: $c}) { nodes { id } }`,
    ]
    const query = `query ($f: PetFilter, $c: [Int64!]) { ${repeat(6, (index) => `a${index}: ${first} b${index}: ${second}`)} }`
    const variables = { f: { status, categoryId }, c: categoryId }
    const [error] = (await service.client.graphql(query, variables)).errors ?? []
    expect(error?.message).toBe("The document's cost is 2052; 2000 is the limit.")
    expect(
      (await service.client.graphql(query, { f: { status }, c: categoryId.slice(1) })).errors,
    ).toBeUndefined()
  })

  it('cost: the default of a variable that is not sent counts as if it were', async () => {
    const categories = repeat(50, (id) => `"${id}"`)
    const filter = `{status: [available, pending, sold], categoryId: [${categories}]}`
    const query = `query ($f: PetFilter = ${filter}, $c: [Int64!] = [${categories}]) {
      ${repeat(10, (index) => `a${index}: pets(filter: $f) { nodes { id } } b${index}: pets(filter: {categoryId: $c}) { nodes { id } }`)}
    }`
    const [error] = (await service.client.graphql(query)).errors ?? []
    expect(error?.message).toBe("The document's cost is 2420; 2000 is the limit.")
    expect((await service.client.graphql(query, { f: null, c: null })).errors).toBeUndefined()
  })

  it('cost: what counts is the size that a variable has', async () => {
    const animals = 'nodes { id name categoryId status } edges { cursor node { id name categoryId status } }'
    const query = `query ($first: Int) { ${repeat(3, (index) => `a${index}: pets(first: $first) { ${animals} }`)} }`
    for (const first of [10, null, undefined]) {
      expect((await service.client.graphql(query, { first })).errors).toBeUndefined()
    }
    const [error] = (await service.client.graphql(query, { first: 100 })).errors ?? []
    expect(error?.message).toBe("The document's cost is 3009; 2000 is the limit.")
  })

  it('are as configured', async () => {
    const strict = await startService({ GRAPHQL_LIMITS: 'depth=2,cost=100' })
    const { errors } = await strict.client.graphql('{ pets { nodes { id } } }')
    expect(errors?.[0]?.message).toBe("The document's depth is 3; 2 is the limit.")
    await strict.stop()
  })
})
