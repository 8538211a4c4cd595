/** How the driver is configured. No connection is made. */
import { Socket } from 'node:net'
import { afterEach, expect, it, vi } from 'vitest'
import { createDriver } from '../../../../../src/db/postgres/connections/driver.ts'
import { toAddress } from '../../../../support/address.ts'

const optionsOf = (url: string, statementTimeout: number | null = 0) => {
  const socket = () => expect.unreachable('a connection is made')
  return createDriver(toAddress(url), { socket, statementTimeout }).options
}

afterEach(() => void vi.unstubAllEnvs())

it('a client has one connection, without a maximum lifetime', () => {
  expect(optionsOf('postgres://user@h/d')).toMatchObject({
    ...{ max: 1, max_lifetime: null, idle_timeout: undefined, fetch_types: false },
    connection: { application_name: 'pet-store', statement_timeout: '0' },
  })
})

it('a login has no parameters that a pooler may not know', () => {
  const url = 'postgres://user@h/d?pooler=transaction&prepare=true&statement_timeout=1'
  const { connection } = optionsOf(url, null)
  expect(connection).toEqual({ application_name: 'pet-store' })
})

it('the user, the password, the database and the options are decoded', () => {
  const options = optionsOf('postgres://%D0%B0:p%40ss@h/a%2Fb?options=-c%20search_path%3Dx%2By')
  expect(options).toMatchObject({
    user: '\u0430',
    database: 'a/b',
    connection: { options: '-c search_path=x+y' },
  })
})

it('the environment changes nothing', () => {
  const [url, names] = ['postgres://user@h/d', ['HOST', 'PORT', 'USER', 'USERNAME', 'DATABASE', 'PASSWORD']]
  const before = JSON.stringify(optionsOf(url))
  const others = [
    'SSL',
    'SSLNEGOTIATION',
    'IDLE_TIMEOUT',
    'CONNECT_TIMEOUT',
    'MAX_LIFETIME',
    'MAX_PIPELINE',
    'BACKOFF',
  ]
  const more = ['KEEP_ALIVE', 'PREPARE', 'DEBUG', 'FETCH_TYPES', 'PUBLICATIONS', 'MAX', 'APPNAME', 'OPTIONS']
  for (const name of [...names, ...others, ...more]) vi.stubEnv(`PG${name}`, '7')
  for (const value of ['any', 'standby']) {
    vi.stubEnv('PGTARGETSESSIONATTRS', value)
    expect(JSON.stringify(optionsOf(url))).toBe(before)
  }
})

it.each([
  ['password', 'password'],
  ['', ''],
  ['\u0007', '\u0007'],
  ['p\u00a0w', 'p w'],
  ['\u00aa', 'a'],
  ['I\u00adX', 'IX'],
  // Not allowed by SASLprep: a control character, and a text in two directions.
  ['\u00aa\u0007', '\u00aa\u0007'],
  ['\u06271', '\u06271'],
])('the password %j is sent as %j', async (password, expected) => {
  const address = toAddress(`postgres://user:${encodeURIComponent(password)}@h/d`)
  const sent = new Socket()
  const { options } = createDriver(address, { socket: async () => sent, statementTimeout: 0 })
  const { pass, socket } = options as unknown as { pass: () => string; socket: () => Promise<Socket> }
  expect([await socket(), pass()]).toEqual([sent, expected])
})
