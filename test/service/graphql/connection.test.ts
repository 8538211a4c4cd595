/** Pagination of Query.pets, according to the Relay cursor connections specification. */
import { beforeAll, expect, it } from 'vitest'
import { useService } from '../../support/service.ts'

const service = useService()
beforeAll(async () => {
  for (const name of 'abcdefg') {
    const status = name < 'c' ? 'sold' : name < 'f' ? 'available' : undefined
    await service.client.createPet({ name, categoryId: 7, status })
  }
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

it('pets are listed in the order of their creation, and edges match nodes', async () => {
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

it('first and after page forward through the whole list', async () => {
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

it('last and before page backward through the whole list', async () => {
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

it('the status filter applies to the page and to totalCount', async () => {
  const page = await list({ first: 1, filter: { status: ['sold', 'available'] } })
  expect([namesOf(page), page.totalCount, page.pageInfo.hasNextPage]).toEqual(['a', 5, true])
  expect(namesOf(await list({ filter: { status: [] } }))).toBe('')
  expect(namesOf(await list({ filter: { status: Array.from({ length: 900 }, () => 'sold') } }))).toBe('ab')
  expect(namesOf(await list({ filter: { status: null } }))).toBe('abcdefg')
})

it.each([{ first: 0 }, { last: 0 }])('a page of size 0 is empty, and has a totalCount: %j', async (size) => {
  const none = { nodes: [], edges: [], totalCount: 7 }
  const [start, end] = [{ startCursor: null, endCursor: null }, 'first' in size]
  expect(await list(size)).toMatchObject({
    ...none,
    pageInfo: { ...start, hasNextPage: end, hasPreviousPage: !end },
  })
  expect(await list({ ...size, filter: { categoryId: ['404'] } })).toMatchObject({
    ...none,
    totalCount: 0,
    pageInfo: { ...start, hasNextPage: false, hasPreviousPage: false },
  })
})

it('the pageInfo of an empty page says whether there are pets before and after it', async () => {
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
  [{ first: -1 }, 'first'],
  [{ first: 101 }, 'first'],
  [{ last: -1 }, 'last'],
  [{ first: 1, last: 1 }, 'last'],
  [{ after: 'aWQ6' }, 'after'],
  [{ before: 'aWQ6MQ==' }, 'before'],
  [{ after: '' }, 'after'],
])('%j is rejected, and the error names %s', async (variables, argument) => {
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
