/** Which of several hosts is the primary; test/faults/failover.test.ts follows real ones. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { PostgresAddress } from '../../../../../src/config/database-url.ts'
import { Connection } from '../../../../../src/db/postgres/connections/connection.ts'
import { HostConnection } from '../../../../../src/db/postgres/connections/host-connection.ts'
import { Hosts } from '../../../../../src/db/postgres/connections/hosts.ts'
import { findDatabaseError, toFatalError } from '../../../../../src/db/postgres/postgres-errors.ts'
import { toAddresses } from '../../../../support/address.ts'
import { codeOf, failure } from '../../../support/scripted-pool.ts'

type Answer = 'primary' | 'standby' | Error
const DOWN = failure('ECONNREFUSED')
const SILENT = failure('CONNECT_TIMEOUT')
const FULL = toFatalError({ code: '53300', message: 'too many connections' })

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** Hosts that answer as the test says. @returns a search: the hosts that it tried, and what it found */
function follow(url: string) {
  const hosts = new Hosts(toAddresses(url))
  const closed: string[] = []
  const search = async (answers: Record<string, Answer>) => {
    const tried: string[] = []
    const open = ({ host }: PostgresAddress) => {
      tried.push(host)
      const answer = answers[host] ?? DOWN
      if (answer instanceof Error) return Promise.reject(answer)
      const connection = Object.assign(Object.create(HostConnection.prototype) as HostConnection, {
        host,
        destroy: () => closed.push(host),
      })
      return Promise.resolve({ connection, isStandby: answer === 'standby' })
    }
    const found = await hosts.findPrimary(open).catch((error: unknown) => error)
    if (found instanceof HostConnection && 'host' in found) return { tried, found: found.host }
    const { cause } = found as Error
    const { kind } = findDatabaseError(found) ?? {}
    return { tried, found: typeof cause === 'string' ? cause : codeOf(found), kind }
  }
  return { search, closed }
}
const URL = 'postgres://user:hush@one:1,two:2,three:3/store'

it.each<[title: string, answers: Record<string, Answer>, tried: string, found: string]>([
  ['the first one', { one: 'primary', two: 'standby' }, 'one', 'one'],
  ['the next one after a standby', { one: 'standby', two: 'primary' }, 'one two', 'two'],
  ['the next one after those that are down', { three: 'primary' }, 'one two three', 'three'],
  ['the next one after one that is silent', { one: SILENT, two: 'primary' }, 'one two', 'two'],
  ['the next one after one that has too many connections', { one: FULL, two: 'primary' }, 'one two', 'two'],
  ['the first one of two', { one: 'primary', two: 'primary' }, 'one', 'one'],
  [
    'none',
    { one: 'standby', two: SILENT },
    'one two three',
    'NO_PRIMARY: one:1: a standby; two:2: no answer in 2 s; three:3: ECONNREFUSED',
  ],
  [
    'perhaps the one that has too many connections',
    { one: 'standby', two: FULL },
    'one two three',
    '53300: one:1: a standby; two:2: 53300: too many connections; three:3: ECONNREFUSED',
  ],
])('the primary is %s', async (_, answers, tried, found) => {
  const { search, closed } = follow(URL)
  expect(await search(answers)).toMatchObject({ tried: tried.split(' '), found })
  expect(closed).toEqual(answers.one === 'standby' ? ['one'] : [])
})

const ended = (code: string) => toFatalError({ code, message: 'it says' })

it.each<[title: string, one: Answer, two: Answer, code: string, kind: string]>([
  ['the same, which is lasting', ended('22023'), ended('22023'), '22023', 'lasting'],
  ['the same, of the login', ended('28P01'), ended('28P01'), '28P01', 'passing'],
  ['the same, of this machine', failure('EMFILE'), failure('EMFILE'), 'EMFILE', 'passing'],
  ['that they are standbys', 'standby', 'standby', 'NO_PRIMARY', 'lost server'],
  ['different things, all lasting', ended('42704'), failure('SASL_BAD'), '42704', 'lasting'],
  ['something lasting, and something else', ended('22023'), DOWN, 'NO_PRIMARY', 'lost server'],
  ['something lasting, and that it is a standby', ended('22023'), 'standby', 'NO_PRIMARY', 'lost server'],
  ['different things', ended('28P01'), DOWN, 'NO_PRIMARY', 'lost server'],
  [
    'something lasting, and that it has too many connections',
    ended('22023'),
    FULL,
    '53300',
    'refused connection',
  ],
  ['what is no error of a database', new Error('ours'), new Error('ours'), 'NO_PRIMARY', 'lost server'],
])('if the hosts say %s, that is why there is no primary', async (_, one, two, code, kind) => {
  const { search } = follow('postgres://user@one:1,two:2/store')
  const { found, ...meaning } = await search({ one, two })
  expect(found).toMatch(new RegExp(`^${code}: one:1: .*; two:2: `))
  expect(meaning).toMatchObject({ kind })
})

it('the last primary found is tried first', async () => {
  const { search } = follow(URL)
  await search({ two: 'primary' })
  expect(await search({ one: 'primary', two: 'primary' })).toEqual({ tried: ['two'], found: 'two' })
  expect(await search({ one: 'primary', two: 'standby' })).toMatchObject({ tried: ['two', 'one'] })
})

it('a host that was silent is tried last for half a minute, unless it is found to be the primary', async () => {
  const { search } = follow(URL)
  await search({ one: SILENT, three: 'primary' })
  vi.advanceTimersByTime(29_999)
  expect(await search({ one: 'primary' })).toMatchObject({ tried: ['three', 'two', 'one'] })
  expect(await search({ one: 'primary' })).toMatchObject({ tried: ['one'] })
  await search({ one: SILENT, two: 'primary' })
  vi.advanceTimersByTime(30_000)
  expect(await search({ one: 'primary' })).toMatchObject({ tried: ['two', 'one'] })
})

it('after a search without a result, searches in the next 250 ms fail without trying a host', async () => {
  const { search } = follow(URL)
  const { found } = await search({})
  vi.advanceTimersByTime(249)
  expect(await search({ one: 'primary' })).toMatchObject({ tried: [], found })
  vi.advanceTimersByTime(1)
  expect(await search({ one: 'primary' })).toEqual({ tried: ['one'], found: 'one' })
})

it.each(['before', 'after'])(
  'a search that fails ends no other if one at the same time finds the primary: %s the failure',
  async (order) => {
    const { search } = follow(URL)
    const [failing, finding] = [{}, { three: 'primary' } as const]
    const found = await Promise.all(
      (order === 'before' ? [finding, failing] : [failing, finding]).map(search),
    )
    expect(found).toContainEqual({ tried: ['one', 'two', 'three'], found: 'three' })
    expect(found).toContainEqual(expect.objectContaining({ found: expect.stringContaining('ECONNREFUSED') }))
    expect(await search({ three: 'primary' })).toEqual({ tried: ['three'], found: 'three' })
  },
)

it('the search of a connection that is destroyed ends at once, and ends no other', async () => {
  const { search } = follow(URL)
  const destroyed = { one: failure('CONNECTION_DESTROYED'), two: 'primary' } as const
  expect(await search(destroyed)).toMatchObject({ tried: ['one'], found: 'CONNECTION_DESTROYED' })
  expect(await search({ one: 'primary' })).toEqual({ tried: ['one'], found: 'one' })
})

it.each([
  ['which another host has replaced', { one: 'primary', two: FULL }, { tried: ['two', 'one'], found: 'one' }],
  [
    'which may still be the primary',
    { one: 'standby', two: FULL, three: 'standby' },
    {
      tried: ['two', 'one', 'three'],
      found: '53300: two:2: 53300: too many connections; one:1: a standby; three:3: a standby',
    },
  ],
] as const)('the last primary found has too many connections, %s', async (_, answers, expected) => {
  const { search } = follow(URL)
  await search({ two: 'primary' })
  expect(await search(answers)).toMatchObject(expected)
})

it('after a search in which a host had too many connections, the next one asks the hosts again at once', async () => {
  const { search } = follow(URL)
  await search({ one: FULL })
  expect(await search({ one: 'primary' })).toEqual({ tried: ['one'], found: 'one' })
})

it.each<[Answer, string]>([
  ['standby', 'one'],
  [DOWN, 'ECONNREFUSED'],
])('a single host is used even if it is not a primary: %s', async (answer, found) => {
  const { search } = follow('postgres://user@one/store')
  for (let round = 0; round < 2; round += 1)
    expect(await search({ one: answer })).toMatchObject({ tried: ['one'], found })
})

it('a connection to the primary is not lost when a standby closes its own', async () => {
  const clients: HostConnection[] = []
  vi.spyOn(HostConnection.prototype, 'run').mockImplementation(function (this: HostConnection) {
    if (!clients.includes(this)) clients.push(this)
    return Promise.resolve([[this === clients[0] ? 't' : 'f']])
  })
  const onClosed = vi.fn()
  const connection = new Connection(new Hosts(toAddresses(URL)), onClosed)
  await connection.run({ name: 'ping', text: 'select', parameters: [], prepare: false })
  const [standby, primary] = clients
  standby?.destroy()
  expect(onClosed).not.toHaveBeenCalled()
  primary?.destroy()
  expect(onClosed).toHaveBeenCalledOnce()
})
