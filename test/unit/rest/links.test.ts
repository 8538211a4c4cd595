import { expect, it } from 'vitest'
import { toPageLinks } from '../../../src/rest/links.ts'

it('the links of a page have its parameters, and those of the next page its cursor', () => {
  const query = { limit: 2, owner: undefined, text: 'a&b=c d+e#é%41"' }
  const links = toPageLinks('/crates', query, { hasNextPage: true, endCursor: 'a+b/c=' })
  const parametersOf = (address = '') => {
    const { pathname, searchParams, hash } = new URL(address, 'http://a')
    return { pathname, hash, ...Object.fromEntries(searchParams) }
  }
  const sent = { pathname: '/crates', hash: '', limit: '2', text: query.text }
  expect(parametersOf(links.first)).toEqual(sent)
  expect(parametersOf(links.next)).toEqual({ ...sent, after: 'a+b/c=' })
  // A link is in angle brackets, in a list with commas (RFC 8288, 3).
  expect(Object.values(links).join('')).not.toMatch(/[<>," ]/)
})

it('the last page has no link to a next one', () => {
  const links = toPageLinks('/crates', { limit: 2 }, { hasNextPage: false, endCursor: null })
  expect(links).toEqual({ first: '/crates?limit=2' })
})
