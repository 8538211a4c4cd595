import { expect, it } from 'vitest'
import { createClient } from '../../../../src/db/postgres/driver.ts'

it('a client creates only one socket', () => {
  const createSocket = Reflect.get(
    createClient({ user: 'postgres', database: 'postgres', path: '/nowhere/socket' }).options,
    'socket',
  ) as (target: object) => {
    on: (event: string, listener: () => void) => void
  }
  const target = { path: '/nowhere/socket', host: [], port: [] }
  createSocket(target).on('error', () => undefined)
  expect(() => createSocket(target)).toThrow(expect.objectContaining({ code: 'CONNECTION_CLOSED' }))
})
