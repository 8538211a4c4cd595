/** The contract, clause by clause, by the table that `npm run verify` checks any server with. */
import { beforeAll, describe, expect, it } from 'vitest'
import { parseExactJsonText } from '../../../src/base/json.ts'
import type { Inventory, Pet } from '../../conformance/clause.ts'
import { judge, toRequest } from '../../conformance/exchange.ts'
import { groups } from '../../conformance/check-server.ts'
import { nextPage, type TestResponse } from '../../support/client.ts'
import { KEY, READ_KEY, useService } from '../../support/service.ts'

const service = useService()
const keys = { key: KEY, readKey: READ_KEY, keyName: 'test' }
/** In order of creation; every fifth has no status. */
const pets: Pet[] = []
const inventory: Inventory = { pets, created: pets }
beforeAll(async () => {
  const statuses = ['available', 'pending', 'sold', 'available', undefined]
  for (let index = 0; index < 25; index += 1) {
    const pet = { name: `Pet ${index}`, categoryId: index % 3, status: statuses[index % 5] }
    pets.push(parseExactJsonText((await service.client.createPet(pet)).text) as Pet)
  }
})

/** Reads first, because their clauses are about these 25 pets. */
const inOrder = [...groups.slice(1), ...groups.slice(0, 1)]

describe.each(inOrder)('clauses: $subject', ({ clauses }) => {
  it.each(clauses)('$id: $says', async (clause) => {
    const request = toRequest(clause, keys, inventory)
    if ('skipped' in request) throw new Error(`skipped: ${request.skipped}`)
    const before = await service.countPets()
    const { path, ...options } = request
    const response = await service.client.send(path, { ...options, key: null })

    expect(judge(clause, response, inventory), response.text).toEqual({ clause: null, added: null })
    expect(response.headers['x-request-id']).toMatch(/^[\w-]+$/)
    expectNoOtherFields(response)
    expect(await service.countPets()).toBe(before + (response.status === 201 ? 1 : 0))
  })
})

it('following the links returns each pet once, even while others are created', async () => {
  const seen: number[] = []
  let path: string | undefined = '/v1/pets?limit=7'
  const { json: everything } = await service.client.send('/v1/pets?limit=100')
  while (path !== undefined) {
    const page = await service.client.send(path)
    seen.push(...(page.json as { id: number }[]).map((pet) => pet.id))
    path = nextPage(page)
    if (seen.length < 20) await service.client.createPet({ name: 'late', categoryId: 1 })
  }
  expect(seen).toEqual([...new Set(seen)].sort((a, b) => a - b))
  expect(seen).toEqual(expect.arrayContaining((everything as { id: number }[]).map((pet) => pet.id)))
})

it('the published contract names this server alone', async () => {
  const { json } = await service.client.send('/v1/openapi.json', { key: null })
  expect(json).toMatchObject({ servers: [{ url: '/v1', description: 'This server' }] })
})

/** Other servers may add fields to errors and pets; this one does not. */
function expectNoOtherFields({ status, headers, json }: TestResponse): void {
  if (json === undefined) return
  expect(headers['content-type']).toBe('application/json; charset=utf-8')
  if (status >= 400) expect(Object.keys(json as object).sort()).toEqual(['code', 'message', 'status'])
  for (const pet of Array.isArray(json) ? (json as object[]) : status === 201 ? [json as object] : [])
    expect(['id', 'name', 'categoryId', 'status']).toEqual(expect.arrayContaining(Object.keys(pet)))
}
