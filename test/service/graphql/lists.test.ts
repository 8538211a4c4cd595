/** Query.pets with every filter in every order, paged in both directions, compared with an in-memory model. */
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { MAX_INT64, MIN_INT64 } from '../../../src/base/int64.ts'
import { encodeCursor } from '../../../src/resource/lists/list-cursor.ts'
import { barePet, type Filter, type Pet } from '../../support/pet-fields.ts'
import { idOf } from '../../support/client.ts'
import { type PetOrder, petOrders } from '../../support/pet-pages.ts'
import { useService } from '../../support/service.ts'
import { listPage, listPets, orders, type Position, positionOf } from './list-model.ts'
import { countRuns, seed } from '../../support/seed.ts'

const service = useService()

const statuses = ['available', 'pending', 'sold', null] as const
const names = [
  ...['Rex', 'rex', 'REX', 'Rexy', 'rexa', 'Luna', 'luna', 'Zoë', 'zoe', 'ÉMILE', 'émile', 'Émily', 'Ünal'],
  ...['50% off', '50 cent', '50_', '50\\', '\\', '%', '_', '', ' '],
  ...['🐕', '🐈', '\uffee', 'a\u{10ffff}b', 'a\u{10ffff}'],
]
const prefixes = [
  ...['r', 'REX', 'é', '5', '50%', '50_', '50\\', '\\', '%', '_', '', ' ', '🐕', 'a\u{10ffff}', 'unknown'],
]
const filters: Filter[] = [
  {},
  { status: ['sold'] },
  { status: ['available', 'pending', 'available'] },
  { status: ['available', 'pending', 'sold'] },
  { status: [] },
  { categoryId: ['1'] },
  { categoryId: ['1', '-9223372036854775808', '404'] },
  { categoryId: [] },
  ...prefixes.map((namePrefix) => ({ namePrefix })),
  { status: ['available'], categoryId: ['1'] },
  { status: ['available', 'sold'], categoryId: ['1', '2'] },
  { status: ['available', 'sold'], namePrefix: 'r' },
  { status: ['sold'], categoryId: ['1', '2'], namePrefix: '5' },
]

interface Page {
  nodes: { id: string }[]
  edges: { cursor: string; node: { id: string } }[]
  pageInfo: { hasNextPage: boolean; hasPreviousPage: boolean; startCursor: string; endCursor: string }
  totalCount: number
}
async function list(variables: object): Promise<Page> {
  const { data, errors } = await service.client.graphql(
    `query ($first: Int, $after: String, $last: Int, $before: String, $filter: PetFilter, $orderBy: PetOrder) {
      pets(first: $first, after: $after, last: $last, before: $before, filter: $filter, orderBy: $orderBy) {
        nodes { id }
        edges { cursor node { id } }
        pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
        totalCount
      }
    }`,
    variables,
  )
  expect(errors).toBeUndefined()
  const { pets } = data as { pets: Page }
  const { nodes, edges, pageInfo } = pets
  expect(edges.map(({ node }) => node)).toEqual(nodes)
  const ends = [edges[0], edges.at(-1)].map((edge) => edge?.cursor ?? null)
  expect([pageInfo.startCursor, pageInfo.endCursor]).toEqual(ends)
  return pets
}
const idsOf = ({ nodes }: Pick<Page, 'nodes'>) => nodes.map(({ id }) => id)

describe('with pets of all kinds', () => {
  const pets: Pet[] = []
  beforeAll(async () => {
    for (const [index, name] of [...names, ...names].entries()) {
      const categoryId = ['1', '2', '-9223372036854775808'][index % 3] ?? ''
      const status = statuses[index % 4] ?? null
      const body = `{"name":${JSON.stringify(name)},"categoryId":${categoryId}${status ? `,"status":"${status}"` : ''}}`
      const id = idOf(await service.client.createPet(body))
      pets.push({ ...barePet, id, name, categoryId, status })
    }
    for (const id of [MIN_INT64, MAX_INT64]) {
      await service.sql`
        insert into pets (id, name, category_id) values (${String(id)}, 'rex', 1)`
      pets.push({ ...barePet, id: String(id), name: 'rex', categoryId: '1' })
    }
  })

  it.each(filters)(
    'all pages in every order, forwards and backwards, are those of the model for the filter %j',
    async (filter) => {
      for (const orderBy of orders) {
        const expected = listPets(pets, filter, orderBy).map(({ id }) => id)
        const size = Math.max(2, Math.ceil(expected.length / 3))
        const forwards: string[] = []
        for (let after: string | null = null, more = true; more;) {
          const page: Page = await list({ filter, orderBy, first: size, after })
          expect(page.totalCount).toBe(expected.length)
          expect(page.pageInfo.hasPreviousPage).toBe(after !== null)
          forwards.push(...idsOf(page))
          after = page.pageInfo.endCursor
          more = page.pageInfo.hasNextPage
        }
        expect(forwards, `forwards ${JSON.stringify(orderBy)}`).toEqual(expected)

        const backwards: string[] = []
        for (let before: string | null = null, more = true; more;) {
          const page: Page = await list({ filter, orderBy, last: size, before })
          expect(page.pageInfo.hasNextPage).toBe(before !== null)
          backwards.unshift(...idsOf(page))
          before = page.pageInfo.startCursor
          more = page.pageInfo.hasPreviousPage
        }
        expect(backwards, `backwards ${JSON.stringify(orderBy)}`).toEqual(expected)
      }
    },
  )

  it(`a page from any position, with or without a pet there, is that of the model (SEED=${seed})`, async () => {
    const cursorOf = (position: Position | undefined, field: PetOrder['field']) =>
      position && encodeCursor({ id: String(position.id), sortKey: position.sortKey }, field)
    await fc.assert(
      fc.asyncProperty(
        fc.record({
          filter: fc.constantFrom(...filters),
          orderBy: fc.constantFrom(...petOrders),
          size: fc.integer({ min: 0, max: 6 }),
          from: fc.constantFrom('start', 'end'),
          bounds: fc.array(
            fc.option(
              fc.record({
                pet: fc.constantFrom(...pets),
                otherId: fc.option(fc.constantFrom(MIN_INT64, MIN_INT64 + 1n, 0n, MAX_INT64 - 1n, MAX_INT64)),
              }),
            ),
            { minLength: 2, maxLength: 2 },
          ),
        }),
        async ({ filter, orderBy, size, from, bounds }) => {
          const { field } = orderBy
          const [after, before] = bounds.map((bound) => {
            if (!bound) return undefined
            const position = positionOf(bound.pet, field)
            return { ...position, id: bound.otherId ?? position.id }
          })
          const page = await list({
            filter,
            orderBy,
            [from === 'start' ? 'first' : 'last']: size,
            after: cursorOf(after, field),
            before: cursorOf(before, field),
          })
          const { hasPreviousPage, hasNextPage } = page.pageInfo
          expect({ ids: idsOf(page), hasPreviousPage, hasNextPage }).toEqual(
            listPage(pets, { filter, orderBy, size, from, after, before }),
          )
        },
      ),
      // A very busy machine reads fewer pages.
      { seed, numRuns: countRuns(200), interruptAfterTimeLimit: 90_000 },
    )
  })

  it('a pet that is renamed between two pages causes no other pet to be missing or repeated', async () => {
    const orderBy = { field: 'NAME', direction: 'ASC' } as const
    const filter = { namePrefix: 're' }
    const expected = listPets(pets, filter, orderBy).map(({ id }) => id)
    const first = await list({ orderBy, filter, first: 3 })
    const renamed = first.nodes.at(-1)?.id ?? ''
    await service.client.updatePet(renamed, { name: 're' })
    const others = await list({ orderBy, filter, first: 100, after: first.pageInfo.endCursor })
    expect([...idsOf(first), ...idsOf(others)]).toEqual(expected)
  })

  it(
    'pages requested at once are the same as pages requested one after the other',
    { tags: 'slow' },
    async () => {
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
      // As many as one statement answers: all of them would reach the server's time limit on a busy machine.
      for (let start = 0; start < requests.length; start += 16) {
        const end = start + 16
        expect(await Promise.all(requests.slice(start, end).map(list))).toEqual(alone.slice(start, end))
      }
    },
  )
})

it('long names are ordered by their first 500 characters, then by id', async () => {
  await service.clear()
  for (const last of ['b', 'a', 'c'])
    await service.client.createPet({ name: '🐕'.repeat(499) + last + 'z'.repeat(500), categoryId: 1 })
  const orderBy = { field: 'NAME', direction: 'ASC' } as const
  const all = await list({ orderBy })
  const ids = all.nodes.map(({ id }) => Number(id))
  expect(ids.map((id) => id - Math.min(...ids))).toEqual([1, 0, 2])
  const { pageInfo } = await list({ orderBy, first: 1 })
  expect((await list({ orderBy, after: pageInfo.endCursor })).nodes).toEqual(all.nodes.slice(1))
  expect((await list({ filter: { namePrefix: '🐕'.repeat(500) } })).nodes).toEqual([])
})

it.each([
  [
    'too many categories',
    { filter: { categoryId: Array.from({ length: 51 }, (_, id) => String(id)) } },
    ['filter.categoryId'],
  ],
  [
    'three at once',
    { first: 101, after: '!', filter: { namePrefix: 'x'.repeat(501) } },
    ['first', 'after', 'filter.namePrefix'],
  ],
])('an error names each invalid argument: %s', async (_, variables, names) => {
  const query =
    'query ($after: String, $first: Int, $filter: PetFilter) { pets(after: $after, first: $first, filter: $filter) { nodes { id } } }'
  const { data, errors } = await service.client.graphql(query, variables)
  const problems = names.map((argument) => ({ argument, message: expect.any(String) as string }))
  const extensions = { code: 'INVALID_VALUE', argument: names[0], problems }
  expect({ data, errors }).toMatchObject({ data: null, errors: [{ path: ['pets'], extensions }] })
})
