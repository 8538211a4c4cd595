/** What a user notices of the list: its pages, its filter, sales, and where the focus goes. */
import { expect, it, vi } from 'vitest'
import { describeList } from '../../../src/pets/assets/pet-list.js'
import { failToConnect, FakeApi, KEYS, respondWithError } from './fake-api.ts'
import { openList, page, pass, user } from './open-list.ts'

const count = (number: number) => Array.from({ length: number }, () => ({}))

it('the newest pets come first, with what is not set', async () => {
  new FakeApi([{ name: 'Rex' }, { name: '<b>Luna</b>', status: null }])
  await openList(KEYS.write)
  expect(page.names()).toEqual(['<b>Luna</b>', 'Rex'])
  expect(page.statuses()).toEqual(['not set', 'available'])
  expect(page.text('#more')).toBeNull()
  expect(page.text('#no-pets')).toBeNull()
})

it('a row has the columns of the head, with the same labels, if any', async () => {
  new FakeApi([{}])
  await openList(KEYS.write)
  const head = Array.from(document.querySelectorAll<HTMLElement>('thead [data-column]'))
  const [row] = Array.from(document.querySelectorAll('#pet-rows tr'))
  const cells = Array.from(row?.children ?? []).filter((cell) => cell instanceof HTMLElement)
  expect(cells.map(({ dataset }) => dataset.column)).toEqual(head.map(({ dataset }) => dataset.column))
  for (const [index, { dataset }] of cells.entries())
    expect(dataset.label ?? head[index]?.textContent).toBe(head[index]?.textContent)
})

it('ten more are shown at a time, as far as the largest page goes', async () => {
  new FakeApi(count(120))
  await openList(KEYS.write)
  for (let shown = 10; shown < 100; shown += 10) {
    expect(page.names()).toHaveLength(shown)
    expect(page.text('#list-end')).toBeNull()
    user.showMore()
    await pass(0)
  }
  expect(page.names()).toHaveLength(100)
  expect(page.text('#more')).toBeNull()
  expect(page.text('#list-end')).toContain('newest 100')
  // The button that had the focus is hidden.
  expect(page.focused()).toBe('list-end')
})

it('a list whose pets are all deleted meanwhile says only that, and the focus goes to its title', async () => {
  const api = new FakeApi(count(30))
  await openList(KEYS.write)
  user.showMore()
  await pass(0)
  api.pets = []
  user.showMore()
  await pass(0)
  expect(page.text('#no-pets')).toBe('There are no pets yet.')
  expect(page.text('#list-end')).toBeNull()
  expect(page.focused()).toBe('pets-title')
})

it('the filter shows other pets, from the beginning, also in the commands', async () => {
  new FakeApi([{ status: 'sold' }, { status: 'sold' }, ...count(20)])
  await openList(KEYS.write)
  user.showMore()
  await pass(0)
  expect(page.names()).toHaveLength(20)
  user.filter('sold')
  await pass(0)
  expect(page.statuses()).toEqual(['sold', 'sold'])
  expect(page.commands()).toContain('/v1/pets?limit=3&status=sold')
  expect(page.commands()).toContain('{ pets(first: 3, filter: {status: [sold]}) {')
  user.filter('pending')
  await pass(0)
  expect(page.names()).toEqual([])
  expect(page.text('#no-pets')).toBe('No pet is pending.')
  user.filter('')
  await pass(0)
  expect(page.names()).toHaveLength(10)
  expect(page.commands()).toContain(`/v1/pets?limit=3'`)
  expect(page.commands()).toContain('{ pets(first: 3) {')
})

it('an answer for an earlier filter is not shown, nor a problem of it', async () => {
  const api = new FakeApi([{ status: 'sold' }, {}])
  await openList(KEYS.write)
  const [sendEarlier, sendLater] = ['available', 'sold'].map((status) => {
    const send = api.holdNext('Pets')
    user.filter(status)
    return send
  })
  // The earlier request has been given up.
  await pass(0)
  expect(page.problem()).toBe('')
  sendLater?.()
  await pass(0)
  sendEarlier?.(() => respondWithError('UNAUTHORIZED'))
  await pass(0)
  expect(page.statuses()).toEqual(['sold'])
  expect(page.problem()).toBe('')
  expect(page.asksForKey()).toBe(false)
})

it('a pet is sold once, with the status that was shown, and the focus goes to the pet below', async () => {
  const api = new FakeApi(count(3))
  await openList(KEYS.write)
  const send = api.holdNext('UpdatePet')
  user.sell('2')
  user.sell('2')
  await pass(0)
  send()
  await pass(0)
  expect(api.sent.filter(({ operation }) => operation === 'UpdatePet')).toEqual([
    {
      operation: 'UpdatePet',
      key: KEYS.write,
      variables: { id: '2', input: { status: 'sold' }, expected: { status: 'available' } },
    },
  ])
  expect(page.statuses()).toEqual(['available', 'sold', 'available'])
  expect(page.focused()).toBe('sell-1')
  expect(page.problem()).toBe('')
})

it('after the last sale, the focus goes to the pet above, and without any to the title', async () => {
  new FakeApi(count(2))
  await openList(KEYS.write)
  for (const [id, next] of [
    ['1', 'sell-2'],
    ['2', 'pets-title'],
  ]) {
    user.sell(id ?? '')
    await pass(0)
    expect(page.focused()).toBe(next)
  }
})

it('a sale of a pet that has been changed is not made, and the next one ends the problem', async () => {
  const api = new FakeApi(count(2))
  await openList(KEYS.write)
  // No event tells the page.
  api.pets = api.pets.map((pet) => (pet.id === '1' ? { ...pet, status: 'pending' } : pet))
  user.sell('1')
  await pass(0)
  expect(page.problem()).toContain('changed or deleted in the meantime')
  expect(page.statuses()).toEqual(['available', 'pending'])
  user.sell('2')
  await pass(0)
  expect(page.problem()).toBe('')
})

it.each([
  ['cannot be reached', failToConnect, 'The server cannot be reached.'],
  ['does not know', () => respondWithError('TIMEOUT'), 'Answered with TIMEOUT.'],
])('after a sale of which the server %s, the next read says what is there', async (_, answer, text) => {
  const api = new FakeApi(count(1))
  await openList(KEYS.write)
  // A sale that failed before is not told any more.
  api.answerNext('UpdatePet', () => respondWithError('RATE_LIMITED'))
  user.sell('1')
  await pass(0)
  const sendList = api.holdNext('Pets')
  api.answerNext('UpdatePet', answer)
  user.sell('1')
  await pass(0)
  expect(page.problem()).toBe(text)
  sendList()
  await pass(0)
  expect(page.problem()).toBe('')
})

it('a failed sale is told until another succeeds, whatever is read meanwhile', async () => {
  const api = new FakeApi(count(1))
  await openList(KEYS.write)
  api.answerNext('UpdatePet', () => respondWithError('RATE_LIMITED'))
  user.sell('1')
  await pass(0)
  user.filter('available')
  await pass(0)
  expect(page.problem()).toBe('Answered with RATE_LIMITED.')
  user.sell('1')
  await pass(0)
  expect(page.problem()).toBe('')
})

it('a list that cannot be read is read again, less and less often, and says why', async () => {
  const api = new FakeApi(count(1))
  await openList(KEYS.write)
  for (let failures = 0; failures < 3; failures += 1)
    api.answerNext('Pets', () => respondWithError('OVERLOADED'))
  user.filter('available')
  for (const delay of [0, 500, 1000]) {
    await pass(delay)
    expect(page.problem()).toBe('Answered with OVERLOADED.')
  }
  await pass(1999)
  expect(page.problem()).toBe('Answered with OVERLOADED.')
  await pass(1)
  expect(page.problem()).toBe('')
})

it('a row that has not changed stays, with a click that has begun', async () => {
  const api = new FakeApi(count(3))
  await openList(KEYS.write)
  const [changed, unchanged] = [page.row('1'), page.row('2')]
  api.change('1', { status: 'pending' })
  await pass(300)
  expect(page.statuses()).toEqual(['available', 'available', 'pending'])
  expect(page.row('2')).toBe(unchanged)
  expect(page.row('1')).not.toBe(changed)
})

it('a read-only key offers neither sales nor the form', async () => {
  new FakeApi(count(1))
  await openList(KEYS.read)
  expect(page.names()).toEqual(['Pet 1'])
  expect(page.row('1')).toBeNull()
  expect(page.text('#new-pet')).toBeNull()
  expect(page.text('#read-only')).toContain('read-only')
  await user.enterKey(KEYS.write)
  expect(page.row('1')).not.toBeNull()
  expect(page.text('#new-pet')).not.toBeNull()
  expect(page.text('#read-only')).toBeNull()
})

it('a rejected key asks for another one, with which the list goes on', async () => {
  const api = new FakeApi(count(1))
  await openList(KEYS.write)
  api.answerNext('Pets', () => respondWithError('UNAUTHORIZED'))
  user.filter('available')
  await pass(0)
  expect(page.asksForKey()).toBe(true)
  expect(page.text('#key-problem')).toBe('Answered with UNAUTHORIZED.')
  await user.enterKey(KEYS.other)
  expect(page.asksForKey()).toBe(false)
  expect(page.problem()).toBe('')
  expect(api.sent.at(-1)?.key).toBe(KEYS.other)
})

it.each([
  ['Pets', () => user.filter('available')],
  ['UpdatePet', () => user.sell('1')],
  [
    'CreatePet',
    () => {
      user.fillIn({ name: 'Late', categoryId: '7' })
      user.create()
    },
  ],
])('nothing is said of an answer to an earlier key: %s', async (operation, act) => {
  const api = new FakeApi(count(1))
  await openList(KEYS.write)
  const send = api.holdNext(operation)
  act()
  await pass(0)
  await user.enterKey(KEYS.other)
  send(() => respondWithError('UNAUTHORIZED', [{ argument: 'input.name', message: 'It is wrong.' }]))
  await pass(0)
  expect(page.problem()).toBe('')
  expect(page.invalid()).toEqual([])
  expect(page.asksForKey()).toBe(false)
})

it('a fault of the page is no problem of the server', async () => {
  const api = new FakeApi(count(1))
  await openList(KEYS.write)
  const faults: unknown[] = []
  const onFault = (error: unknown) => faults.push(error)
  process.on('unhandledRejection', onFault)
  api.answerNext('Pets', () => Response.json({ data: {} }))
  user.filter('available')
  await vi.waitFor(() => expect(faults).toHaveLength(1))
  process.off('unhandledRejection', onFault)
  expect(page.problem()).toBe('')
})

const MAX_SHOWN = 30
const cases = [0, 1].flatMap((found) =>
  (['', 'sold'] as const).flatMap((status) =>
    [10, 20, MAX_SHOWN].flatMap((asked) =>
      [false, true].map((hasNextPage) => ({ found, status, asked, hasNextPage })),
    ),
  ),
)

it.each(cases)('the list says what is besides its rows: %j', ({ found, status, asked, hasNextPage }) => {
  const pet = { id: '1', name: 'Rex', categoryId: '7', status: null }
  const page = { nodes: found ? [pet] : [], pageInfo: { hasNextPage } }
  const { emptyText, hasMore, endText } = describeList(page, { status, count: asked }, MAX_SHOWN)
  expect(emptyText !== '').toBe(found === 0)
  expect(emptyText.includes('sold')).toBe(found === 0 && status === 'sold')
  expect(hasMore).toBe(hasNextPage && asked < MAX_SHOWN)
  expect(endText !== '').toBe(found > 0 && !hasMore && asked > 10)
  if (endText) expect(endText.includes('30')).toBe(hasNextPage)
})
