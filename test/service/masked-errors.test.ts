/** Internal errors: clients learn nothing about them, and each is logged once. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { errorsIn, useService } from '../support/service.ts'

const service = useService()

describe('after a column has been renamed', () => {
  beforeAll(async () => {
    await service.sql`alter table pets rename column name to secret_name`
  })
  afterAll(async () => {
    await service.sql`alter table pets rename column secret_name to name`
  })
  const headers = { 'x-request-id': 'r-1' }

  it.each([
    ['listPets', '/v1/pets', {}],
    ['getPet', '/v1/pets/1', {}],
    ['createPet', '/v1/pets', { method: 'POST', body: { name: 'hidden', categoryId: 1 } }],
  ])(
    'an error that is not in the catalogue is masked in the REST API, and logged once: %s',
    async (_, path, request) => {
      service.log.length = 0
      const response = await service.client.send(path, { ...request, headers })
      expect(response.status).toBe(500)
      expect(response.json).toEqual({ code: 'INTERNAL', message: expect.any(String), status: 500 })
      expectOneLine(response.text)
    },
  )

  it('an error that is not in the catalogue is masked in the GraphQL API, and logged once', async () => {
    service.log.length = 0
    const response = await service.client.post('/graphql', { query: '{ pet(id: 1) { id } }' }, { headers })
    expect(response.status).toBe(500)
    expect(response.json).toMatchObject({ errors: [{ path: ['pet'], extensions: { code: 'INTERNAL' } }] })
    expectOneLine(response.text)
  })

  function expectOneLine(answer: string): void {
    const errors = errorsIn(service.log)
    expect(errors).toHaveLength(1)
    expect(errors[0]).toMatchObject({ reqId: 'r-1', err: { message: expect.stringContaining('42703') } })
    for (const text of [answer, JSON.stringify(service.log)]) {
      expect(text).not.toMatch(/secret_name|hidden|select |insert /i)
    }
    expect(answer).not.toMatch(/42703|\.ts|node_modules/)
  }
})

it('a statement that takes too long is answered with 504', async ({ skip }) => {
  skip(
    process.env.TEST_DATABASE === 'embedded',
    'PGlite has no statement_timeout, and no second session to hold a lock',
  )
  await service.sql.begin(async (sql) => {
    await sql`lock table pets in access exclusive mode`
    const { status, json } = await service.client.send('/v1/pets')
    expect([status, json]).toEqual([504, { code: 'TIMEOUT', message: expect.any(String), status: 504 }])
  })
  expect((await service.client.send('/v1/pets')).status).toBe(200)
})
