/** What becomes of the keys that a user enters, in whatever order the server answers. */
import { beforeEach, expect, it } from 'vitest'
import { answerRequests, createErrorResponse, loadScript } from '../../support/page.ts'

type Script = typeof import('../../../../src/pages/assets/key/key-entry.js')

let entry: InstanceType<Script['KeyEntry']>
/** The checks that wait for an answer, by their key. */
const checks = new Map<string, (response: Response) => void>()
/** What ends these checks. */
const signals: (AbortSignal | null)[] = []

beforeEach(async () => {
  checks.clear()
  signals.length = 0
  answerRequests(({ key, signal }) => {
    signals.push(signal)
    const { promise, resolve } = Promise.withResolvers<Response>()
    checks.set(key ?? '', resolve)
    return promise
  })
  const { KeyEntry } = (await loadScript('pages/assets/key/key-entry.js')) as Script
  entry = new KeyEntry()
})

const accept = (token: string) => checks.get(token)?.(Response.json({ data: { __typename: 'Mutation' } }))
const storedKey = () => sessionStorage.getItem('pet-store:api-key')

it('an entered key is kept if the server accepts it', async () => {
  const wrong = entry.enter('wrong')
  checks.get('wrong')?.(createErrorResponse('UNAUTHORIZED'))
  expect(await wrong).toMatchObject({ code: 'UNAUTHORIZED' })
  expect(storedKey()).toBeNull()
  const right = entry.enter('right')
  accept('right')
  expect(await right).toEqual({ token: 'right', scope: 'write' })
  expect(storedKey()).toBe('right')
})

it('of two keys that are entered, the later one counts, in whatever order they are answered', async () => {
  const earlier = entry.enter('earlier')
  const later = entry.enter('later')
  accept('later')
  expect(await later).toMatchObject({ token: 'later' })
  accept('earlier')
  expect(await earlier).toBeNull()
  expect(storedKey()).toBe('later')
})

it('a key that has been given up is not kept', async () => {
  const entered = entry.enter('given-up')
  entry.giveUp()
  // Its request ends, too: a browser has only six connections.
  expect(signals.map((signal) => signal?.aborted)).toEqual([true])
  accept('given-up')
  expect(await entered).toBeNull()
  expect(storedKey()).toBeNull()
})
