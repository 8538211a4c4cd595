/** Internal errors: clients learn nothing about them, and each is logged once. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { errorsIn, useService } from '../support/service.ts'

const service = useService({})

describe('after a column has been renamed', () => {
  beforeAll(async () => {
    await service.sql`alter table pets rename column name to secret_name`
  })
  afterAll(async () => {
    await service.sql`alter table pets rename column secret_name to name`
  })

  const errorBody = { code: 'INTERNAL', message: expect.any(String) as string, status: 500 }
  const graphql = { errors: [{ path: ['pet'], extensions: { code: 'INTERNAL' } }] }
  it.each([
    ['/v1/pets', undefined, errorBody],
    ['/v1/pets/1', undefined, errorBody],
    ['/v1/pets', { name: 'hidden', categoryId: 1 }, errorBody],
    ['/graphql', { query: '{ pet(id: 1) { id } }' }, graphql],
  ])(
    'an error that is not in the catalogue is masked, and logged once: %s %j',
    async (path, body, expected) => {
      service.log.length = 0
      const request = { method: body ? 'POST' : 'GET', body, headers: { 'x-request-id': 'r-1' } }
      const { status, json, text } = await service.client.send(path, request)
      expect([status, json]).toMatchObject([500, expected])
      const logged = { reqId: 'r-1', err: { message: expect.stringContaining('42703') as string } }
      expect(errorsIn(service.log)).toMatchObject([logged])
      for (const seen of [text, JSON.stringify(service.log)])
        expect(seen).not.toMatch(/secret_name|hidden|select |insert /i)
      expect(text).not.toMatch(/42703|\.ts|node_modules/)
    },
  )
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
