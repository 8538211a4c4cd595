import { describe, expect, it, vi } from 'vitest'
import { ServiceError } from '../../../src/base/service-error.ts'
import { toErrorBody } from '../../../src/http/error-body.ts'
import { RequestMemory } from '../../../src/base/request-memory.ts'
import { KEY, listen } from '../../support/app.ts'
import { createFakeDatabase } from '../../unit/support/database.ts'

const PETS = 50

/** Lists pets whose names are 60,000 times a character. */
async function listNames(character: string): Promise<Response> {
  const listOf = (item: (index: number) => string) =>
    `{${Array.from({ length: PETS }, (_, index) => item(index)).join()}}`
  const name = character.repeat(60_000)
  const bytes = String(PETS * Buffer.byteLength(name))
  const row = [
    bytes,
    listOf((index) => String(index + 1)),
    listOf(() => name),
    listOf(() => '7'),
    listOf(() => 'NULL'),
    '1',
  ]
  const { url } = await listen(createFakeDatabase(() => [[...row]]))
  return fetch(new URL('/v1/pets?limit=100', url), { headers: { authorization: `Bearer ${KEY}` } })
}

describe('a list of long names', () => {
  it('is answered', async () => {
    const response = await listNames('x')
    expect(response.status).toBe(200)
    expect(await response.json()).toHaveLength(PETS)
  })

  it('is an error if JSON makes its text larger than 16 MB: it escapes control characters', async () => {
    const response = await listNames('\u0001')
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ code: 'RESPONSE_TOO_LARGE' })
    expect(response.headers.get('etag')).toBeNull()
    expect(response.headers.get('link')).toBeNull()
  })

  it('is an error if there are too many answers already', async () => {
    vi.spyOn(RequestMemory.prototype, 'complete').mockImplementation(() => {
      throw new ServiceError('OVERLOADED')
    })
    const response = await listNames('x')
    expect(response.status).toBe(503)
    expect(response.headers.get('retry-after')).toBe('1')
    // The Error body, not Fastify's own.
    expect(await response.json()).toEqual(toErrorBody(new ServiceError('OVERLOADED')))
  })
})
