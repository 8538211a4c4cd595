import { expect, it } from 'vitest'
import { toLinkHeader } from '../../../src/rest/links.ts'

const BASE_URL = 'https://crates.example/v1'

it('the links of a page have its parameters, and those of the next page its cursor', () => {
  const query = { limit: 2, owner: undefined, text: 'a&b=c d+e#é%41"<>,' }
  const pageInfo = { hasNextPage: true, endCursor: 'a+b/c=' }
  const header = toLinkHeader({ path: '/crates', query, pageInfo }, BASE_URL)
  const links = header.split(', ').map((link) => {
    const [, address = '', relation] = /^<([^<>," ]+)>; rel="(\w+)"$/.exec(link) ?? []
    const { origin, pathname, searchParams, hash } = new URL(address)
    return { relation, origin, pathname, hash, ...Object.fromEntries(searchParams) }
  })
  const sent = {
    origin: 'https://crates.example',
    pathname: '/v1/crates',
    hash: '',
    limit: '2',
    text: query.text,
  }
  expect(links).toEqual([
    { relation: 'first', ...sent },
    { relation: 'next', ...sent, after: pageInfo.endCursor },
  ])
})

it('the last page has no link to a next one', () => {
  const page = { path: '/crates', query: { limit: 2 }, pageInfo: { hasNextPage: false, endCursor: null } }
  expect(toLinkHeader(page, BASE_URL)).toBe(`<${BASE_URL}/crates?limit=2>; rel="first"`)
})

it('the links of a list without parameters have no empty query', () => {
  const page = { path: '/crates', query: {}, pageInfo: { hasNextPage: true, endCursor: 'a' } }
  expect(toLinkHeader(page, BASE_URL)).toBe(
    `<${BASE_URL}/crates>; rel="first", <${BASE_URL}/crates?after=a>; rel="next"`,
  )
})
