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
  toStatement,
  write,
  useScriptedConnections,
} from '../../../support/scripted-pool.ts'

useScriptedConnections()

const ofAnn = (text: string) => ofKey('ann', text)
const ofBob = (text: string) => ofKey('bob', text)
/** A statement for several requests; all have the same name. */
const shared = (text: string) => write(text)

describe('of the statements that are requested at once, the pool runs', () => {
  const other = write('other', 'count')
  it.each<[title: string, size: number, queries: Query[], first: string, next: string]>([
    ['as many as there are connections', 2, [ofAnn('a'), ofBob('b'), other], 'a b', 'other'],
    ['all but two of one key', 5, [...numbered(5, ofAnn), ofBob('b'), other], '1 2 3 b other', '4 5'],
    [
      'all but two of one name for several requests',
      5,
      [...numbered(5, shared), other],
      '1 2 3 other',
      '4 5',
    ],
    ['one of a key on two connections', 2, [...numbered(3, ofAnn), other], '1 other', '2'],
    ['anything on the only connection', 1, [write('a'), ofAnn('b'), ofAnn('c')], 'a', 'b c'],
    ['those of different keys alternately', 1, [...numbered(3, ofAnn), ofBob('b'), other], '1', '2 b'],
  ])('%s; and the next ones when others have ended', async (_, size, queries, first, next) => {
    const pool = createPool(size)
    for (const query of queries) ask(pool, query)
    expect(textsOf(runs).join(' ')).toBe(first)
    runOf(0).succeed()
    await pass()
    runOf(1).fail(failure('42601'))
    await pass()
    expect(textsOf(runs).join(' ')).toBe(`${first} ${next}`)
  })

  it('those of different keys alternately, and those of one key in order', async () => {
    const pool = createPool(1)
    const queries = [...numbered(4, ofAnn), ofBob('b1'), ofBob('b2'), other, ofBob('b3')]
    for (const query of queries) ask(pool, query)
    for (let index = 0; index < queries.length; index += 1) {
      runOf(index).succeed()
      await pass()
    }
    expect(textsOf(runs).join(' ')).toBe('1 2 b1 other 3 b2 4 b3')
  })

  it('a key and a statement of the same name, side by side', () => {
    const pool = createPool(2)
    for (const query of [ofAnn('a'), write('shared', 'ann')]) ask(pool, query)
    expect(textsOf(runs)).toEqual(['a', 'shared'])
  })
})

it.each<[title: string, admitted: Query[], refused: Query, accepted: Query[]]>([
  [
    '1,000 in all',
    [read('a', 700), ...numbered(200, ofAnn), ...numbered(100, ofBob)],
    write('refused', 'other'),
    [],
  ],
  ['250 of one key', numbered(250, ofAnn), ofKey('ann', 'refused'), [ofKey('bob'), read('for several', 700)]],
  [
    '750 of one name for several requests',
    [write('a', 'createCrates', 749), write('b')],
    write('refused'),
    [write('other', 'count'), ofKey('createCrates'), read('a read', 248)],
  ],
])('callers may wait: %s, until their statements have ended', async (_, admitted, refused, accepted) => {
  const pool = createPool(1)
  const waiting = admitted.map((query) => ask(pool, query))
  const tooMany = Array.from({ length: 10 }, () => ask(pool, refused))
  waiting.push(...accepted.map((query) => ask(pool, query)))
  await pass()
  expect(outcomesOf(waiting)).toEqual(waiting.map(() => null))
  expect(outcomesOf(tooMany)).toEqual(tooMany.map(() => 'OVERLOADED'))
  await expect(pool.query(toStatement(refused), refused)).rejects.toMatchObject({ cause: 'statements' })
  runOf(0).succeed([['7']])
  await pass()
  expect(waiting[0]?.outcome).toEqual([['7']])
  const later = [
    ask(pool, { ...refused, text: 'later', callers: admitted[0]?.callers ?? 1 }),
    ask(pool, refused),
  ]
  await pass()
  expect(outcomesOf(later)).toEqual([null, 'OVERLOADED'])
  expect(textsOf(runs)).not.toContain('refused')
})

it('the statements of a request whose client has disconnected are neither run nor counted when their turn comes', async () => {
  const pool = createPool(3)
  const request = requestOf('ann')
  for (const query of [read('a'), write('b'), ofBob('c')]) ask(pool, query)
  const gone = numbered(4, (text) => ({ text, owner: request })).map((query) => ask(pool, query))
  const others = [...numbered(3, ofAnn), read('last')]
  for (const query of others) ask(pool, query)
  request.isDisconnected = true
  while (runs.some(({ isEnded }) => !isEnded)) {
    for (const run of runs) if (!run.isEnded) run.succeed()
    await pass()
  }
  expect(textsOf(runs).slice(3)).toEqual(['last', '1', '2', '3'])
  expect(outcomesOf(gone)).toEqual(gone.map(() => 'OVERLOADED'))
  expect(pool.usage).toMatchObject({ used: 0, waiting: 0 })
  const places = numbered(250, ofAnn).map((query) => ask(pool, query))
  await pass()
  expect(outcomesOf(places)).not.toContain('OVERLOADED')
})
