/** What a user notices of the form: each pet is created once, and the page says what is not certain. */
import { expect, it } from 'vitest'
import { failToConnect, FakeApi, KEYS, respondWithError } from './fake-api.ts'
import { openList, page, pass, user } from './open-list.ts'

const REX = { name: 'Rex', categoryId: '7' }

async function create(pet?: typeof REX): Promise<void> {
  if (pet) user.fillIn(pet)
  user.create()
  await pass(0)
}

it('a pet is created with what is entered, and the form is ready for the next one', async () => {
  const api = new FakeApi([{}])
  await openList(KEYS.write)
  await create({ name: ' Rex ', categoryId: '7' })
  expect(api.pets.at(-1)).toMatchObject({ name: 'Rex', categoryId: '7', status: null })
  expect(page.names()).toEqual(['Rex', 'Pet 1'])
  expect(page.entered()).toEqual({ name: '', categoryId: '' })
  expect(page.focused()).toBe('name')
})

it('what the user has entered meanwhile stays', async () => {
  const api = new FakeApi()
  await openList(KEYS.write)
  const send = api.holdNext('CreatePet')
  await create(REX)
  const next = { name: 'Luna', categoryId: '8' }
  user.fillIn(next)
  send()
  await pass(0)
  expect(page.names()).toEqual(['Rex'])
  expect(page.entered()).toEqual(next)
})

it('a field that is not valid is marked, with the sentence of the server, until the pet is created', async () => {
  const api = new FakeApi()
  await openList(KEYS.write)
  const problems = [{ argument: 'input.categoryId', message: 'It is no category.' }]
  api.answerNext('CreatePet', () => respondWithError('INVALID_VALUE', problems))
  await create(REX)
  expect(page.problem()).toBe('Answered with INVALID_VALUE.')
  expect(page.invalid()).toEqual(['categoryId'])
  expect(page.entered()).toEqual(REX)
  user.filter('available')
  await pass(0)
  expect(page.invalid()).toEqual(['categoryId'])
  await create()
  expect(page.problem()).toBe('')
  expect(page.invalid()).toEqual([])
})

it.each([
  ['nothing answers', failToConnect],
  ['the database does not answer', () => respondWithError('TIMEOUT')],
])('a pet that may have been created is created once, when %s', async (_, answer) => {
  const api = new FakeApi()
  await openList(KEYS.write)
  api.answerNext('CreatePet', (respond) => {
    // The server creates the pet.
    respond()
    return answer()
  })
  await create(REX)
  expect(page.problem()).toBe('Rex may have been created. Create it again: there will be only one.')
  expect(page.names()).toEqual(['Rex'])
  api.answerNext('CreatePet', () => respondWithError('RATE_LIMITED'))
  await create()
  expect(page.problem()).toMatch(/^Rex may have been created\. .* Answered with RATE_LIMITED\.$/)
  // Another pet and another read leave the first uncertain.
  user.filter('')
  await pass(0)
  expect(page.problem()).toContain('Rex may have been created.')
  await create()
  expect(page.problem()).toBe('')
  expect(page.names()).toEqual(['Rex'])
})

it('only a key that may have created a pet is told so', async () => {
  const api = new FakeApi()
  await openList(KEYS.write)
  api.answerNext('CreatePet', () => respondWithError('TIMEOUT'))
  await create(REX)
  expect(page.problem()).toContain('may have been created')
  await user.enterKey(KEYS.other)
  expect(page.problem()).toBe('')
  api.answerNext('CreatePet', () => respondWithError('RATE_LIMITED'))
  await create()
  expect(page.problem()).toBe('Answered with RATE_LIMITED.')
})

it('a pet that is created with an earlier key is in the list of the next', async () => {
  const api = new FakeApi()
  await openList(KEYS.write)
  const send = api.holdNext('CreatePet')
  await create(REX)
  await user.enterKey(KEYS.other)
  send()
  await pass(0)
  expect(page.names()).toEqual(['Rex'])
  expect(page.entered()).toEqual({ name: '', categoryId: '' })
})
