import { describe, expect, it } from 'vitest'
import {
  ask,
  createPool,
  failure,
  numbered,
  ofKey,
  outcomesOf,
  pass,
  type Query,
  read,
  requestOf,
  runOf,
  runs,
  textsOf,
  write,
  useScriptedConnections,
} from '../../support/scripted-pool.ts'

useScriptedConnections()

describe('of what is asked for at once, there run', () => {
  const request = requestOf('ann')
  const ofRequest = (text: string) => ({ text, owner: request })
  const ofAnn = (text: string) => ofKey('ann', text)
  const [other, several, bob] = [write('other', 'count'), read('several'), ofKey('bob')]

  it.each<[title: string, size: number, asked: Query[], first: string, next: string]>([
    ['as many as there are connections', 2, numbered(5, read), '1 2', '3 4'],
    ['two of a request, and others of its key', 10, [...numbered(4, ofRequest), ofAnn('a')], '1 2 a', '3 4'],
    ['40 % of one key', 10, [...numbered(9, ofAnn), bob, several], '1 2 3 4 bob several', '5 6'],
    ['two of three for one key', 3, [...numbered(3, ofAnn), several], '1 2 several', '3'],
    [
      '60 % writes of one kind',
      10,
      [...numbered(9, write), other, several],
      '1 2 3 4 5 6 other several',
      '7 8',
    ],
    ['one write of a kind on two connections', 2, [...numbered(3, write), several], '1 several', '2'],
    ['anything on the only connection', 1, [write('a'), ofAnn('b'), ofAnn('c')], 'a', 'b c'],
  ])('%s; and the next ones when others have ended', async (_, size, asked, first, next) => {
    const pool = createPool(size)
    for (const query of asked) ask(pool, query)
    expect(textsOf(runs).join(' ')).toBe(first)
    runOf(0).succeed()
    await pass()
    runOf(1).fail(failure('42601'))
    await pass()
    expect(textsOf(runs).join(' ')).toBe(`${first} ${next}`)
  })

  it('reads that serve several requests, without a limit', () => {
    const pool = createPool(50)
    for (const query of numbered(50, read)) ask(pool, query)
    expect(runs).toHaveLength(50)
  })

  it('two of one request on the primary while two of it run on a standby', () => {
    for (const pool of [createPool(5), createPool(5)])
      for (const query of numbered(3, ofRequest)) ask(pool, query)
    expect(textsOf(runs)).toEqual(['1', '2', '1', '2'])
  })
})

it.each<[title: string, taken: Query[], refused: Query, accepted: Query[]]>([
  ['1,000 in all', numbered(1_000, read), read('refused'), []],
  ['1,000 for two statements', [read('a', 999), read('b')], read('refused'), []],
  [
    '250 of one key',
    numbered(250, (text) => ofKey('ann', text)),
    ofKey('ann', 'refused'),
    [ofKey('bob'), read('for several', 700)],
  ],
  [
    '750 of writes of one kind, so that reads have a place',
    [write('a', 'createPets', 749), write('b')],
    write('refused'),
    [write('other', 'count'), ofKey('createPets'), read('a read', 248)],
  ],
])('callers may wait: %s, until their statements have ended', async (_, taken, refused, accepted) => {
  const pool = createPool(1)
  const waiting = taken.map((query) => ask(pool, query))
  const tooMany = Array.from({ length: 10 }, () => ask(pool, refused))
  waiting.push(...accepted.map((query) => ask(pool, query)))
  await pass()
  expect(outcomesOf(waiting)).toEqual(waiting.map(() => null))
  expect(outcomesOf(tooMany)).toEqual(tooMany.map(() => 'OVERLOADED'))
  runOf(0).succeed([['7']])
  await pass()
  expect(waiting[0]?.outcome).toEqual([['7']])
  const later = [
    ask(pool, { ...refused, text: 'later', callers: taken[0]?.callers ?? 1 }),
    ask(pool, refused),
  ]
  await pass()
  expect(outcomesOf(later)).toEqual([null, 'OVERLOADED'])
  expect(textsOf(runs)).not.toContain('refused')
})

describe('a request whose client is gone', () => {
  it('has its waiting statements neither run nor counted as running', async () => {
    const pool = createPool(10)
    const request = requestOf('ann')
    numbered(10, read).map((query) => ask(pool, query))
    const gone = numbered(4, (text) => ({ text, owner: request })).map((query) => ask(pool, query))
    const others = [...numbered(4, (text) => ofKey('ann', text)), read('last')]
    for (const query of others) ask(pool, query)
    request.isGone = true
    for (const { succeed } of [...runs]) succeed()
    await pass()
    expect(textsOf(runs).slice(10)).toEqual(textsOf(others))
    expect(outcomesOf(gone)).toEqual(gone.map(() => 'TIMEOUT'))
  })

  it('leaves its places to others of its key', async () => {
    const pool = createPool(1)
    const request = requestOf('ann')
    ask(pool, 'runs')
    for (const query of numbered(250, (text) => ({ text, owner: request }))) ask(pool, query)
    request.isGone = true
    const asked = numbered(251, (text) => ofKey('ann', text)).map((query) => ask(pool, query))
    await pass()
    expect(outcomesOf(asked)).toEqual([...Array<null>(250).fill(null), 'OVERLOADED'])
  })
})
