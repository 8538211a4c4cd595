/** RFC 9110 and 9111: validators, conditional requests and what caches may store. test/unit/http/etag.test.ts has their syntax. */
import { expect, it } from 'vitest'
import { useService } from '../../support/service.ts'

const service = useService()
const rex = { name: 'Rex', categoryId: 7 }

it('every response is private and must be revalidated', async () => {
  for (const path of ['/v1/pets', '/v1/pets/0', '/v1/pets?limit=0']) {
    const { headers } = await service.client.send(path)
    expect(headers['cache-control']).toBe('private, no-cache')
    expect(headers.vary).toContain('Authorization')
    expect(headers.vary).not.toContain('Accept')
  }
})

it('a created pet is found at its Location', async () => {
  const { headers, json } = await service.client.createPet(rex)
  expect(headers.location).toBe(`/v1/pets/${(json as { id: number }).id}`)
  expect((await service.client.send(headers.location ?? '')).json).toEqual(json)
})

it.each(['/v1/pets?limit=2', 'a pet', '/v1/openapi.json', '/docs'])(
  'with its own tag %s is answered with 304, and with 412 if another is demanded',
  async (where) => {
    const { headers: created } = await service.client.createPet(rex)
    const path = where === 'a pet' ? (created.location ?? '') : where
    const deprecation = where === 'a pet' ? '@1795132800' : undefined
    for (const method of ['GET', 'HEAD']) {
      const { headers } = await service.client.send(path, { method })
      const ask = (name: string, tag = headers.etag ?? '') =>
        service.client.send(path, { method, headers: { [name]: tag } })
      expect((await ask('if-match')).status).toBe(200)
      expect((await ask('if-none-match', '"x"')).status).toBe(200)
      const known = await ask('if-none-match')
      expect([known.status, known.text, known.headers.etag]).toEqual([304, '', headers.etag])
      expect(known.headers['content-type']).toBeUndefined()
      const failed = await ask('if-match', '"x"')
      expect([failed.status, failed.headers.etag]).toEqual([412, undefined])
      expect(failed.headers.link ?? '').not.toContain('rel="first"')
      expect([known, failed].map((answer) => answer.headers.deprecation)).toEqual([deprecation, deprecation])
      if (method === 'GET') expect(failed.json).toMatchObject({ code: 'PRECONDITION_FAILED' })
    }
  },
)

it('the ETag of a list changes with its pets, and when a next page appears', async () => {
  await service.clear()
  const tagOf = async () => (await service.client.send('/v1/pets?limit=1')).headers.etag
  const tags = [await tagOf()]
  for (let count = 0; count < 2; count += 1) {
    await service.client.createPet(rex)
    tags.push(await tagOf())
  }
  expect(new Set(tags).size).toBe(3)
  await service.client.createPet(rex)
  expect(await tagOf()).toBe(tags[2])
})
