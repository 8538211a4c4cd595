/** Lists: every filter and order, walked both ways, against a model in memory; and what Postgres reads for a page. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { PetFilter, PetOrder, PetPosition } from '../../src/db/pet-range.ts'
import { selectPage } from '../../src/db/select-pets.ts'
import { joinQueries, type Query } from '../../src/db/statement.ts'
import { startService, type TestService } from '../support/service.ts'

let service: TestService
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.stop())

type Status = 'available' | 'pending' | 'sold' | null
interface Animal {
  id: bigint
  name: string
  categoryId: string
  status: Status
}
interface Filter {
  status?: Status[]
  categoryId?: string[]
  namePrefix?: string
}

const small = (text: string) => Array.from(text, (character) => character.toLowerCase()).join('')
const statuses = ['available', 'pending', 'sold', null] as const
const orders = [
  undefined,
  { field: 'ID', direction: 'ASC' },
  { field: 'ID', direction: 'DESC' },
  { field: 'NAME', direction: 'ASC' },
  { field: 'NAME', direction: 'DESC' },
] as const satisfies (PetOrder | undefined)[]

/** What the list should be, from everything that there is. */
function model(animals: Animal[], { status, categoryId, namePrefix }: Filter, order?: PetOrder): string[] {
  const { field, direction } = order ?? { field: namePrefix ? 'NAME' : 'ID', direction: 'ASC' }
  const key = ({ name }: Animal) => Buffer.from(field === 'NAME' ? small(name) : '')
  const listed = animals
    .filter((animal) => !status || status.includes(animal.status))
    .filter((animal) => !categoryId || categoryId.includes(animal.categoryId))
    .filter(({ name }) => small(name).startsWith(small(namePrefix ?? '')))
    .sort((a, b) => Buffer.compare(key(a), key(b)) || Number(a.id - b.id))
    .map(({ id }) => String(id))
  return direction === 'ASC' ? listed : listed.reverse()
}

describe('every filter and every order', () => {
  const names = [
    ...['Rex', 'rex', 'REX', 'Rexy', 'rexa', 'Luna', 'luna', 'Zoë', 'zoe', 'ÉMILE', 'émile', 'Émily', 'Ünal'],
    ...[
      '50% off',
      '50 cent',
      '50_',
      '50\\',
      '\\',
      '%',
      '_',
      '',
      ' ',
      '🐕',
      '🐈',
      '\uffee',
      'a\u{10ffff}b',
      'a\u{10ffff}',
    ],
  ]
  const filters: Filter[] = [
    {},
    ...[['sold'], ['available', 'pending', 'available'], [...statuses.slice(0, 3)], []].map((status) => ({
      status: status as Status[],
    })),
    ...[['1'], ['1', '-9223372036854775808', '404'], []].map((categoryId) => ({ categoryId })),
    ...[
      'r',
      'REX',
      'é',
      '5',
      '50%',
      '50_',
      '50\\',
      '\\',
      '%',
      '_',
      '',
      ' ',
      '🐕',
      'a\u{10ffff}',
      'nobody',
    ].map((namePrefix) => ({ namePrefix })),
    { status: ['available'], categoryId: ['1'] },
    { status: ['available', 'sold'], categoryId: ['1', '2'] },
    { status: ['available', 'sold'], namePrefix: 'r' },
    { status: ['sold'], categoryId: ['1', '2'], namePrefix: '5' },
  ]
  let animals: Animal[]
  beforeAll(async () => {
    await service.clear()
    animals = await createAnimals()
  })

  async function createAnimals(): Promise<Animal[]> {
    const created: Animal[] = []
    for (const [index, name] of [...names, ...names].entries()) {
      const input = {
        name,
        categoryId: ['1', '2', '-9223372036854775808'][index % 3] ?? '',
        status: statuses[index % 4] ?? null,
      }
      const query = 'mutation ($input: NewPet!) { createPet(input: $input) { id } }'
      const { data } = await service.client.graphql(query, { input })
      created.push({ ...input, id: BigInt((data as { createPet: { id: string } }).createPet.id) })
    }
    return created
  }

  interface Page {
    nodes: { id: string }[]
    pageInfo: { hasNextPage: boolean; hasPreviousPage: boolean; startCursor: string; endCursor: string }
    totalCount: number
  }
  async function list(variables: object): Promise<Page> {
    const { data, errors } = await service.client.graphql(
      `query ($first: Int, $after: String, $last: Int, $before: String, $filter: PetFilter, $orderBy: PetOrder) {
        pets(first: $first, after: $after, last: $last, before: $before, filter: $filter, orderBy: $orderBy) {
          nodes { id }
          pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
          totalCount
        }
      }`,
      variables,
    )
    expect(errors).toBeUndefined()
    return (data as { pets: Page }).pets
  }

  it.each(filters)('%j', async (filter) => {
    for (const orderBy of orders) {
      const expected = model(animals, filter, orderBy)
      const size = Math.max(2, Math.ceil(expected.length / 3))

      const forwards: string[] = []
      for (let after: string | null = null, more = true; more;) {
        const page: Page = await list({ filter, orderBy, first: size, after })
        expect(page.totalCount).toBe(expected.length)
        expect(page.pageInfo.hasPreviousPage).toBe(after !== null)
        forwards.push(...page.nodes.map(({ id }) => id))
        after = page.pageInfo.endCursor
        more = page.pageInfo.hasNextPage
      }
      expect(forwards, `forwards ${JSON.stringify(orderBy)}`).toEqual(expected)

      const backwards: string[] = []
      for (let before: string | null = null, more = true; more;) {
        const page: Page = await list({ filter, orderBy, last: size, before })
        expect(page.pageInfo.hasNextPage).toBe(before !== null)
        backwards.unshift(...page.nodes.map(({ id }) => id))
        before = page.pageInfo.startCursor
        more = page.pageInfo.hasPreviousPage
      }
      expect(backwards, `backwards ${JSON.stringify(orderBy)}`).toEqual(expected)
    }
  })

  it('a cursor between two others bounds a page on both sides', async () => {
    for (const orderBy of orders) {
      const expected = model(animals, {}, orderBy)
      const { pageInfo } = await list({ orderBy, first: 5 })
      const { pageInfo: later } = await list({ orderBy, first: 6, after: pageInfo.endCursor })
      const page = await list({ orderBy, after: pageInfo.endCursor, before: later.endCursor })
      expect(page.nodes.map(({ id }) => id)).toEqual(expected.slice(5, 10))
      // A walk forwards ends at `before` (Relay cursor connections, section 5.1), a walk backwards at `after`.
      expect(page.pageInfo).toMatchObject({ hasNextPage: false, hasPreviousPage: true })
    }
  })

  it('a cursor outside of the filter does not widen it', async () => {
    const orderBy = { field: 'NAME', direction: 'ASC' } as const
    const { pageInfo } = await list({ orderBy, first: 1 })
    const page = await list({ orderBy, filter: { namePrefix: 'rex' }, after: pageInfo.endCursor, first: 100 })
    expect(page.nodes.map(({ id }) => id)).toEqual(model(animals, { namePrefix: 'rex' }, orderBy))
  })

  it('animals that come, go and are renamed between two pages make none of the others skip or repeat', async () => {
    const orderBy = { field: 'NAME', direction: 'ASC' } as const
    const filter = { namePrefix: 're' }
    const expected = model(animals, filter, orderBy)
    const { nodes, pageInfo } = await list({ orderBy, filter, first: 3 })
    const last = nodes.at(-1)?.id
    await service.client.graphql('mutation ($id: ID!) { updatePet(id: $id, input: {name: "re"}) { id } }', {
      id: last,
    })
    const rest = await list({ orderBy, filter, first: 100, after: pageInfo.endCursor })
    expect([...nodes, ...rest.nodes].map(({ id }) => id)).toEqual(expected)
  })

  it('pages that are asked for at once are each their own', async () => {
    const { pageInfo } = await list({ first: 3 })
    const requests = orders.flatMap((orderBy) =>
      filters.flatMap((filter) => [
        { filter, orderBy, first: 4 },
        { filter, orderBy, last: 9 },
        ...(orderBy?.field === 'NAME' || filter.namePrefix
          ? []
          : [{ filter, orderBy, after: pageInfo.endCursor }]),
      ]),
    )
    const alone: Page[] = []
    for (const request of requests) alone.push(await list(request))
    expect(await Promise.all(requests.map(list))).toEqual(alone)
  })

  it('names of any length are ordered, and paged through', async () => {
    await service.clear()
    const long = ['b', 'a', 'c'].map((last) => '🐕'.repeat(499) + last + 'z'.repeat(10_000))
    for (const name of long) {
      await service.client.graphql(
        'mutation ($name: String!) { createPet(input: {name: $name, categoryId: 1}) { id } }',
        { name },
      )
    }
    const orderBy = { field: 'NAME', direction: 'ASC' } as const
    const all = await list({ orderBy })
    const ids = all.nodes.map(({ id }) => Number(id))
    expect(ids.map((id) => id - Math.min(...ids))).toEqual([1, 0, 2])
    const { pageInfo } = await list({ orderBy, first: 1 })
    expect((await list({ orderBy, after: pageInfo.endCursor })).nodes).toEqual(all.nodes.slice(1))
    expect((await list({ filter: { namePrefix: '🐕'.repeat(500) } })).nodes).toEqual([])
  })
})

describe('what is refused', () => {
  const query =
    'query ($after: String, $first: Int, $filter: PetFilter, $orderBy: PetOrder) { pets(after: $after, first: $first, filter: $filter, orderBy: $orderBy) { nodes { id } } }'
  const cursor = (place: string) => Buffer.from(place).toString('base64url')

  it.each([
    ['a prefix that is too long', { filter: { namePrefix: 'x'.repeat(501) } }, ['filter.namePrefix']],
    ['a prefix with U+0000', { filter: { namePrefix: 'a\0' } }, ['filter.namePrefix']],
    [
      'too many categories',
      { filter: { categoryId: Array.from({ length: 51 }, (_, index) => String(index)) } },
      ['filter.categoryId'],
    ],
    [
      'a cursor of another order',
      { after: cursor('id:1'), orderBy: { field: 'NAME', direction: 'ASC' } },
      ['after'],
    ],
    ['a cursor by name in a list by id', { after: cursor('name:1:rex') }, ['after']],
    [
      'a cursor with U+0000',
      { after: cursor('name:1:a\0'), orderBy: { field: 'NAME', direction: 'ASC' } },
      ['after'],
    ],
    [
      'everything at once',
      { first: 0, after: '!', filter: { namePrefix: '\ud800' } },
      ['first', 'after', 'filter.namePrefix'],
    ],
  ])('%s', async (_, variables, names) => {
    const { errors } = await service.client.graphql(query, variables)
    const problems = names.map((argument) => ({ argument, message: expect.any(String) as string }))
    expect(errors).toMatchObject([{ extensions: { code: 'INVALID_VALUE', argument: names[0], problems } }])
  })
})

describe('what is read for a page', () => {
  // Animals that fit are far away, behind many that do not: first all are sold and of category 1.
  const total = process.env.TEST_DATABASE === 'postgres' ? 200_000 : 30_000
  const middle = total / 2

  let version: number
  beforeAll(async () => {
    const [server] = await service.sql<
      { version: string }[]
    >`select current_setting('server_version_num') as version`
    version = Number(server?.version) / 10_000
    // Nobody has to be told of them.
    await service.sql.unsafe('set session_replication_role = replica')
    await service.sql.unsafe('truncate pets restart identity')
    await service.sql.unsafe(`
      insert into pets (name, category_id, status)
      select case when i % 10 = 0 then 'Rex' else md5(i::text) end,
        case when i < ${middle} then 1 else i % 100 end,
        (case when i < ${middle} then '{sold}' else '{available,pending,sold,NULL}' end::pet_status[])[
          case when i < ${middle} then 1 else 1 + i % 4 end]
      from generate_series(1, ${total}) as i`)
    await service.sql.unsafe('vacuum analyze pets')
    await service.sql.unsafe('set session_replication_role = origin')
  }, 120_000)

  interface PlanNode {
    'Node Type': string
    'Actual Rows': number
    'Actual Loops': number
    'Rows Removed by Filter'?: number
    'Rows Removed by Index Recheck'?: number
    'Shared Hit Blocks': number
    'Shared Read Blocks': number
    Plans?: PlanNode[]
  }
  /** Rows that are read from the table, those thrown away included. */
  function countRead(node: PlanNode): number {
    const here = /^(Seq|Index|Index Only|Bitmap Heap) Scan$/.test(node['Node Type'])
    const rows =
      node['Actual Rows'] +
      (node['Rows Removed by Filter'] ?? 0) +
      (node['Rows Removed by Index Recheck'] ?? 0)
    return (
      (here ? rows * node['Actual Loops'] : 0) +
      (node.Plans ?? []).reduce((sum, plan) => sum + countRead(plan), 0)
    )
  }

  /** How a page is read: by a plan for its values or, when its kind comes again, by one for any values and any number of pages. */
  async function explain(page: Query): Promise<PlanNode[]> {
    const { text, parameters, comesAgain } = page.comesAgain ? joinQueries([page]) : page
    const explained = `explain (analyze, buffers, timing off, summary off, format json)`
    const session = await service.sql.reserve()
    const run = async (statement: string, values: readonly (string | null)[] = []) => {
      const [row] = await session.unsafe<{ 'QUERY PLAN': [{ Plan: PlanNode }] }[]>(statement, [...values])
      return row ? [row['QUERY PLAN'][0].Plan] : []
    }
    try {
      const plans = await run(`${explained} ${text}`, parameters)
      if (!comesAgain) return plans
      await run('set plan_cache_mode = force_generic_plan')
      await run(`prepare page as ${text}`)
      const values = parameters.map((value) => (value === null ? 'null' : `'${value.replaceAll("'", "''")}'`))
      const prepared = await run(`${explained} execute page(${values.join(', ')})`)
      await run('deallocate page')
      await run('reset plan_cache_mode')
      return [...plans, ...prepared]
    } finally {
      session.release()
    }
  }

  const filters: [name: string, filter: PetFilter, values: number][] = [
    ['no filter', {}, 1],
    ['a status', { status: ['available'] }, 1],
    ['a common status', { status: ['sold'] }, 1],
    ['two statuses', { status: ['available', 'pending'] }, 2],
    ['a category', { categoryId: ['7'] }, 1],
    ['a common category', { categoryId: ['1'] }, 1],
    ['three categories', { categoryId: ['1', '7', '8'] }, 3],
    ['a status and a category', { status: ['available'], categoryId: ['8'] }, 1],
    ['a common status and a common category', { status: ['sold'], categoryId: ['1'] }, 1],
    ['a status and a category that have nothing in common', { status: ['available'], categoryId: ['1'] }, 1],
    ['statuses and categories', { status: ['available', 'sold'], categoryId: ['1', '4'] }, 4],
  ]
  const prefixes: [name: string, filter: PetFilter, values: number][] = [
    ['a prefix', { keyPrefix: 'abc' }, 1],
    ['a common prefix', { keyPrefix: 'rex' }, 1],
    ['a status and a prefix', { status: ['available'], keyPrefix: 're' }, 1],
    ['a status, a category and a prefix', { status: ['sold'], categoryId: ['1'], keyPrefix: 'a' }, 1],
  ]
  const byId = orders.slice(1, 3) as PetOrder[]
  const byName = orders.slice(3) as PetOrder[]

  it.each([
    ...[...byId, ...byName].flatMap((order) => filters.map((filter) => ({ order, filter }))),
    ...byName.flatMap((order) => prefixes.map((filter) => ({ order, filter }))),
  ])(
    'is about what it returns: $filter.0, by $order.field, $order.direction',
    async ({ order, filter: [, filter, values] }) => {
      const limit = 20
      const depths: (PetPosition | undefined)[] = [
        undefined,
        ...[middle / 2, middle, middle + middle / 2].map((id) => ({
          id: String(id),
          nameKey: order.field === 'NAME' ? (id === middle ? 'rex' : '8') : null,
        })),
      ]
      for (const after of depths) {
        const page = selectPage({ filter, order, after, limit, from: 'start' })
        if (!page) throw new Error('There is no statement for a page')
        expect(page.comesAgain).toBe(values === 1 && !(filter.keyPrefix && order.field === 'ID'))
        for (const plan of await explain(page)) {
          expect(countRead(plan), JSON.stringify(plan, null, 1)).toBeLessThanOrEqual(2 * limit * values)
          // Before 18, Postgres reads on in the index where a stretch of two values ends.
          if (version < 18) continue
          // An entry of the index and a row of the table for each, and the way down the index.
          expect(plan['Shared Hit Blocks'] + plan['Shared Read Blocks']).toBeLessThanOrEqual(
            (2 * limit + 6) * values,
          )
        }
      }
    },
  )
})
