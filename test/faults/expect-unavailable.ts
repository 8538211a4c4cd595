import { expect } from 'vitest'
import type { TestClient } from '../support/client.ts'

/** Both APIs report that the database is unavailable and when to retry; the process itself is healthy. */
export async function expectUnavailable(client: TestClient): Promise<void> {
  for (const path of ['/v1/pets', '/v1/pets/1', '/readyz']) {
    const { status, json, headers } = await client.send(path)
    expect([status, json]).toEqual([
      503,
      { code: 'DATABASE_UNAVAILABLE', message: expect.any(String), status: 503 },
    ])
    expect(headers['retry-after']).toBe('1')
  }
  expect((await client.createPet({ name: 'Rex', categoryId: 1 })).status).toBe(503)
  const graphql = await client.post('/graphql', { query: '{ pet(id: 1) { id } }' })
  expect(graphql).toMatchObject({ status: 503, headers: { 'retry-after': '1' } })
  expect(graphql.json).toMatchObject({
    data: { pet: null },
    errors: [{ extensions: { code: 'DATABASE_UNAVAILABLE' } }],
  })
  expect((await client.send('/healthz')).status).toBe(200)
  expect((await client.send('/v1/pets', { key: 'wrong' })).status).toBe(401)
}
