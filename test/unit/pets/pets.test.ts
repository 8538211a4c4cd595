import { describe, expect, it, vi } from 'vitest'
import { createPet, deletePet, findPet, updatePet } from '../../../src/pets/pets.ts'
import { createFakeDatabase, createSession } from '../support/database.ts'

const rexRow = ['1', 'Rex', '7', 'sold']
const rex = { id: '1', name: 'Rex', categoryId: '7', status: 'sold' }

describe('reads by id', () => {
  it('in one turn are one statement, and each gets its own pet, or null', async () => {
    const database = createFakeDatabase(() => [['2', 'Max', '-8', null], rexRow])
    const found = await Promise.all(['1', '3', '2', '1'].map((id) => findPet(createSession(database), id)))
    expect(found).toEqual([rex, null, { id: '2', name: 'Max', categoryId: '-8', status: null }, rex])
    expect(database.statements).toMatchObject([{ parameters: ['{"1","3","2","1"}'] }])
    expect(database.callers).toEqual([4])
  })

  it('count for the memory of each answer: the bytes of the names', async () => {
    const database = createFakeDatabase(() => [['2', 'Zoë 🐕', '-8', null], rexRow])
    const sessions = ['1', '2', '3'].map((id) => ({ id, session: createSession(database) }))
    const holds = sessions.map(({ session }) => vi.spyOn(session.memory, 'holdData'))
    await Promise.all(sessions.map(({ id, session }) => findPet(session, id)))
    expect(holds.map(({ mock }) => mock.calls)).toEqual([[[3]], [[9]], []])
  })

  it.each([
    ['an unknown status', ['1', 'Rex', '7', 'lost']],
    ['no name', ['1', null, '7', 'sold']],
  ])('fail for a row with %s', async (_, row) => {
    await expect(findPet(createSession(createFakeDatabase(() => [row])), '1')).rejects.toThrow('A row')
  })
})

describe('creations', () => {
  const [first, second] = [
    { name: 'Rex', categoryId: '7', status: 'sold' },
    { name: 'a"\\', categoryId: '-8', status: null },
  ] as const

  it('in one turn are one statement, and each gets its own id', async () => {
    const database = createFakeDatabase(() => [['11'], ['12']])
    expect(
      await Promise.all([
        createPet(createSession(database), first),
        createPet(createSession(database), second),
      ]),
    ).toEqual([
      { id: '11', ...first },
      { id: '12', ...second },
    ])
    expect(database.statements).toMatchObject([
      { parameters: ['{"Rex","a\\"\\\\"}', '{"7","-8"}', '{"sold",null}'] },
    ])
    expect(database.callers).toEqual([2])
  })

  it.each([
    ['without an id', [[null]]],
    ['too few', []],
    ['too many', [['11'], ['12']]],
  ])('fail if the returned rows are %s', async (_, rows) => {
    const database = createFakeDatabase(() => rows)
    await expect(createPet(createSession(database), first)).rejects.toThrow()
  })
})

describe('an update', () => {
  it('sets the fields in the patch, including null, and returns the pet', async () => {
    const database = createFakeDatabase(() => [rexRow])
    expect(await updatePet(createSession(database), '1', { name: 'Rex', status: null })).toEqual(rex)
    expect(database.statements).toMatchObject([{ name: 'updatePet', parameters: ['Rex', null, '1'] }])
  })

  it('without fields is a read', async () => {
    const database = createFakeDatabase(() => [rexRow])
    expect(await updatePet(createSession(database), '1', {})).toEqual(rex)
    expect(database.statements).toMatchObject([{ name: 'findPets' }])
  })

  it('of no pet is null', async () => {
    expect(await updatePet(createSession(createFakeDatabase()), '1', { name: 'Rex' })).toBeNull()
  })
})

describe('a deletion', () => {
  it('returns the pet as it was', async () => {
    const database = createFakeDatabase(() => [rexRow])
    expect(await deletePet(createSession(database), '1')).toEqual(rex)
    expect(database.statements).toMatchObject([{ name: 'deletePet', parameters: ['1'] }])
  })

  it('of no pet is null', async () => {
    expect(await deletePet(createSession(createFakeDatabase()), '1')).toBeNull()
  })
})
