/** The contract, clause by clause. */
import { beforeAll, describe, expect, it } from 'vitest'
import { nextPage, type TestResponse } from '../../support/client.ts'
import { useService } from '../../support/service.ts'
import { authenticationClauses, precedenceClauses } from './clauses/authentication.ts'
import type { Clause, Pet } from './clauses/clause.ts'
import { createPetClauses } from './clauses/create-pet.ts'
import { getPetClauses } from './clauses/get-pet.ts'
import { listPetsClauses } from './clauses/list-pets.ts'
import { pathClauses, publicClauses } from './clauses/paths.ts'

const groups: { subject: string; clauses: Clause[] }[] = [
  { subject: 'listPets', clauses: listPetsClauses },
  { subject: 'createPet', clauses: createPetClauses },
  { subject: 'getPet', clauses: getPetClauses },
  { subject: 'authentication', clauses: authenticationClauses },
  { subject: 'the precedence of errors', clauses: precedenceClauses },
  { subject: 'paths and methods', clauses: pathClauses },
  { subject: 'without a key', clauses: publicClauses },
]

const service = useService()
/** In order of creation; every fifth has no status. */
const pets: Pet[] = []
beforeAll(async () => {
  const statuses = ['available', 'pending', 'sold', 'available', undefined]
  for (let index = 0; index < 25; index += 1) {
    const pet = { name: `Pet ${index}`, categoryId: index % 3, status: statuses[index % 5] }
    pets.push((await service.client.createPet(pet)).json as Pet)
  }
})

describe.each(groups)('$subject', ({ clauses }) => {
  it.each(clauses)('$id: $says', async (clause) => {
    const path = typeof clause.path === 'function' ? clause.path(pets) : clause.path
    const before = await service.countPets()
    const response = await service.client.send(path, clause.request)

    expect(response.status, response.text).toBe(clause.status)
    if (clause.headers) expect(pick(response, Object.keys(clause.headers))).toEqual(clause.headers)
    expect(response.headers['x-request-id']).toMatch(/^[\w-]+$/)
    const body = clause.bodyOf?.(pets) ?? clause.body
    if (body !== undefined) expect(response.json).toEqual(body)
    if (clause.code !== undefined) expectErrorBody(response, clause)
    if (clause.request?.method === 'HEAD') expect(response.text).toBe('')
    expect(await service.countPets()).toBe(before + (response.status === 201 ? 1 : 0))
  })
})

it('following the links returns each pet once, even while others are created', async () => {
  const seen: number[] = []
  let path: string | undefined = '/v1/pets?limit=7'
  const { json: everything } = await service.client.send('/v1/pets?limit=100')
  while (path !== undefined) {
    const page = await service.client.send(path)
    seen.push(...(page.json as Pet[]).map((pet) => pet.id))
    path = nextPage(page)
    if (seen.length < 20) await service.client.createPet({ name: 'late', categoryId: 1 })
  }
  expect(seen).toEqual([...new Set(seen)].sort((a, b) => a - b))
  expect(seen).toEqual(expect.arrayContaining((everything as Pet[]).map((pet) => pet.id)))
})

it('each clause has a unique id', () => {
  const ids = groups.flatMap(({ clauses }) => clauses).map(({ id }) => id)
  expect(new Set(ids).size).toBe(ids.length)
})

function expectErrorBody({ headers, json }: TestResponse, { code, status, names = [] }: Clause): void {
  expect(headers['content-type']).toBe('application/json; charset=utf-8')
  expect(json).toEqual({ code, message: expect.any(String) as string, status })
  const { message } = json as { message: string }
  for (const name of names) expect(message).toContain(name)
}

function pick({ headers }: TestResponse, names: string[]): Record<string, unknown> {
  return Object.fromEntries(names.map((name) => [name, headers[name]]))
}
