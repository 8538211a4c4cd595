/** How the driver is configured. No connection is made. */
import { describe, expect, it } from 'vitest'
import { createClient } from '../../../../src/db/postgres/driver.ts'

const url = 'postgres://user:password@localhost:1/pets'
const embedded = { user: 'postgres', database: 'postgres', path: '/nowhere/socket' }

it('a client has one connection, without a maximum lifetime', () => {
  const { options } = createClient(url)
  expect(options).toMatchObject({ max: 1, max_lifetime: null, idle_timeout: null, fetch_types: false })
})

it.each([
  ['5 seconds', {}, 5_000],
  ['any length of time, for migrations', { hasTimeLimit: false }, 0],
])('a statement may take %s', (_, options, expected) => {
  expect(createClient(url, options).options.connection.statement_timeout).toBe(expected)
})

it('a pooler gets no parameters that it may not know', () => {
  const { options } = createClient(`${url}?pooler=transaction&prepare=true&statement_timeout=1`)
  expect(options.connection).toEqual({ application_name: 'pet-store' })
})

describe('statements are prepared', () => {
  it.each([
    ['by a Postgres', url, true],
    ['unless its URL disables it', `${url}?prepare=false`, false],
    ['but not by the embedded Postgres', embedded, false],
    ['nor through a pooler', `${url}?pooler=transaction`, false],
    ['unless it is one that can', `${url}?pooler=transaction&prepare=true`, true],
  ])('%s', (_, address, expected) => {
    expect(createClient(address).options.prepare).toBe(expected)
  })
})
