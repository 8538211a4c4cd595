/** The checker against a store in memory: right answers pass, and the answers of each broken store do not. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { findContradictions } from './check.ts'
import { matches, type IdentifiedPet, type Operation, type Pet } from './history.ts'
import { take, type State, type Step } from './register.ts'

const HISTORIES = 100
const OPERATIONS = 120
const CLIENTS = 4

const status = fc.constantFrom('available', 'sold', null)
const step = fc.record({
  kind: fc.constantFrom('create', 'repeat', 'read', 'update', 'swap', 'delete', 'page', 'count'),
  client: fc.nat(CLIENTS - 1),
  pet: fc.nat(),
  status,
  expected: fc.record({ status }, { requiredKeys: [] }),
  filter: fc.record({ status: fc.constantFrom('available', 'sold') }, { requiredKeys: [] }),
  size: fc.integer({ min: 1, max: 5 }),
  /** How long the request and the answer take. */
  before: fc.nat(9),
  after: fc.nat(9),
  isAnswered: fc.integer({ min: 0, max: 9 }).map((number) => number > 0),
  hasEffect: fc.boolean(),
})
type Drawn = typeof step extends fc.Arbitrary<infer Value> ? Value : never

/** What a store does wrong. */
interface Defects {
  /** Forgets which creations it has made. */
  forgetsKeys?: boolean
  /** Loses a write that it has acknowledged. */
  losesWrites?: boolean
  /** Answers reads from the past. */
  readsOld?: boolean
  /** Writes although the pet is not as expected. */
  ignoresExpected?: boolean
  /** Leaves a pet out of a page. */
  skipsPet?: boolean
  /** Counts a pet twice. */
  countsTwice?: boolean
}

/** Runs the steps one after the other, each with a start before and an end after it, so that they overlap. */
function simulate(steps: readonly Drawn[], defects: Defects): Operation[] {
  const states = new Map<string, State[]>()
  const made = new Map<string, string>()
  const history: Operation[] = []
  const free = Array.from({ length: CLIENTS }, () => 0)
  let last: Pet | null = null
  let names = 0
  const stateOf = (id: string, age = 0): State =>
    states.get(id)?.at(-1 - age) ?? states.get(id)?.[0] ?? 'unborn'
  const set = (id: string, state: State) => states.set(id, [...(states.get(id) ?? []), state])
  const all = (): IdentifiedPet[] =>
    [...states.keys()].flatMap((id) => {
      const state = stateOf(id)
      return typeof state === 'string' ? [] : [{ id, ...state }]
    })

  for (const [index, drawn] of steps.entries()) {
    const { kind, client, expected, filter, hasEffect } = drawn
    const at = 10 * (index + 1)
    const start = Math.max((free[client] ?? 0) + 1, at - 3 * drawn.before)
    // The client is still waiting for its last answer.
    if (start > at) continue
    const isWrite = !['read', 'page', 'count'].includes(kind)
    const isAnswered = drawn.isAnswered || !isWrite
    const end = isAnswered ? at + 3 * drawn.after : Infinity
    free[client] = at + 3 * drawn.after
    const timed = { client, start, end }
    const ids = [...states.keys()].slice(-3)
    const id = ids[drawn.pet % ids.length]
    const happens = isAnswered || hasEffect
    const isLost = defects.losesWrites === true && drawn.before === 5
    names += 1
    if (kind === 'create' || (kind === 'repeat' && last) || id === undefined) {
      const pet: Pet =
        kind === 'repeat' && last
          ? last
          : { name: `h1.${names}.${names}`, categoryId: '1', status: drawn.status }
      last = pet
      const known = defects.forgetsKeys ? undefined : made.get(pet.name)
      const created = known ?? String(states.size + 1)
      if (happens && known === undefined) {
        made.set(pet.name, created)
        set(created, pet)
      }
      history.push({ ...timed, kind: 'create', pet, answer: isAnswered ? { id: created } : null })
    } else if (kind === 'read') {
      const state = stateOf(id, defects.readsOld ? 1 : 0)
      history.push({ ...timed, kind, id, answer: typeof state === 'string' ? 'NOT_FOUND' : state })
    } else if (kind === 'page') {
      const found = all().filter((pet) => matches(filter, pet))
      if (defects.skipsPet) found.splice(0, 1)
      const pets = found.slice(0, drawn.size)
      const upTo = pets.length < found.length ? (pets.at(-1)?.id ?? null) : null
      history.push({ ...timed, kind, after: '0', filter: filter, answer: { pets, upTo } })
    } else if (kind === 'count') {
      const answer = all().filter((pet) => matches(filter, pet)).length + (defects.countsTwice ? 1 : 0)
      history.push({ ...timed, kind, filter, answer })
    } else {
      const creation = [...made].find(([, made]) => made === id)?.[0] ?? ''
      const name = `${creation.slice(0, creation.lastIndexOf('.'))}.${names}`
      const wanted = kind === 'swap' || kind === 'delete' ? expected : {}
      const state = stateOf(id)
      const write: Step =
        kind === 'delete'
          ? { kind, expected: defects.ignoresExpected ? {} : wanted, answer: null }
          : { kind: 'update', patch: { name }, expected: defects.ignoresExpected ? {} : wanted, answer: null }
      const next = take(state, write) ?? state
      const written = next === 'deleted' ? state : next
      const refusal = typeof state === 'string' ? ('NOT_FOUND' as const) : ('CONFLICT' as const)
      const answer = next === state ? refusal : typeof written === 'string' ? refusal : written
      if (happens && next !== state && !isLost) set(id, next)
      const sent = isAnswered ? answer : null
      history.push(
        write.kind === 'delete'
          ? { ...timed, kind: 'delete', id, expected: wanted, answer: sent }
          : { ...timed, kind: 'update', id, patch: { name }, expected: wanted, answer: sent },
      )
    }
  }
  return history
}

const histories = fc.sample(fc.array(step, { minLength: OPERATIONS, maxLength: OPERATIONS }), {
  seed: 1,
  numRuns: HISTORIES,
})

it('a store that does everything right is never accused', () => {
  for (const steps of histories) expect(findContradictions(simulate(steps, {}))).toEqual([])
})

describe('a store is found that', () => {
  const defects: [string, Defects, contradiction: RegExp][] = [
    ['forgets an idempotency key', { forgetsKeys: true }, /was created twice/],
    ['loses a write that it has acknowledged', { losesWrites: true }, /cannot all be true/],
    ['answers reads from the past', { readsOld: true }, /cannot all be true/],
    ['writes although the pet is not as expected', { ignoresExpected: true }, /cannot all be true/],
    ['leaves a pet out of a page', { skipsPet: true }, /cannot all be true/],
    ['counts a pet twice', { countsTwice: true }, /pets match .* but it must be/],
  ]
  it.each(defects)('%s', (_, defect, contradiction) => {
    const found = histories.filter((steps) => findContradictions(simulate(steps, defect)).length > 0)
    expect(found.length).toBeGreaterThan(HISTORIES / 4)
    const sentences = found.flatMap((steps) => findContradictions(simulate(steps, defect)))
    expect(sentences).toContainEqual(expect.stringMatching(contradiction))
  })
})

describe('answers about one pet', () => {
  const pet: Pet = { name: 'h1.1.1', categoryId: '1', status: null }
  const renamed: Pet = { ...pet, name: 'h1.1.2' }
  const create = { kind: 'create' as const, pet, answer: { id: '1' } }
  const rename = {
    kind: 'update' as const,
    id: '1',
    patch: { name: renamed.name },
    expected: {},
    answer: renamed,
  }
  const at = (client: number, start: number, end: number) => ({ client, start, end })
  const cases: [string, history: Operation[], readsMayBeOld: boolean, isRight: boolean][] = [
    [
      'a write without an answer may be seen later',
      [
        { ...create, ...at(0, 0, 1) },
        { ...rename, answer: null, ...at(0, 2, Infinity) },
        { kind: 'read', id: '1', answer: pet, ...at(1, 10, 11) },
        { kind: 'read', id: '1', answer: renamed, ...at(1, 12, 13) },
      ],
      false,
      true,
    ],
    [
      'but not unseen again',
      [
        { ...create, ...at(0, 0, 1) },
        { ...rename, answer: null, ...at(0, 2, Infinity) },
        { kind: 'read', id: '1', answer: renamed, ...at(1, 10, 11) },
        { kind: 'read', id: '1', answer: pet, ...at(2, 12, 13) },
      ],
      false,
      false,
    ],
    [
      'a standby may show another client the past',
      [
        { ...create, ...at(0, 0, 1) },
        { ...rename, ...at(0, 2, 3) },
        { kind: 'read', id: '1', answer: pet, ...at(1, 10, 11) },
      ],
      true,
      true,
    ],
    [
      'but not the client that has written',
      [
        { ...create, ...at(0, 0, 1) },
        { ...rename, ...at(0, 2, 3) },
        { kind: 'read', id: '1', answer: pet, ...at(0, 10, 11) },
      ],
      true,
      false,
    ],
    [
      'nor one that has seen more',
      [
        { ...create, ...at(0, 0, 1) },
        { ...rename, ...at(0, 2, 3) },
        { kind: 'read', id: '1', answer: renamed, ...at(1, 4, 5) },
        { kind: 'read', id: '1', answer: pet, ...at(1, 6, 7) },
      ],
      true,
      false,
    ],
    [
      'a page shows one moment: not a later write without an earlier one',
      [
        { ...create, ...at(0, 0, 1) },
        { ...rename, ...at(0, 2, 3) },
        { ...create, pet: { ...pet, name: 'h1.2.3' }, answer: { id: '2' }, ...at(0, 4, 5) },
        {
          kind: 'page',
          after: '0',
          filter: {},
          answer: {
            pets: [
              { id: '1', ...pet },
              { id: '2', ...pet, name: 'h1.2.3' },
            ],
            upTo: null,
          },
          ...at(1, 0, 9),
        },
      ],
      false,
      false,
    ],
  ]
  it.each(cases)('%s', (_, history, readsMayBeOld, isRight) => {
    const contradictions = findContradictions(history, { readsMayBeOld })
    expect(contradictions).toHaveLength(isRight ? 0 : 1)
  })
})
