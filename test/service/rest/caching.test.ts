/** RFC 9110 and 9111: validators, conditional requests and what caches may store. */
import { expect, it } from 'vitest'
import { useService } from '../../support/service.ts'

const service = useService()
const rex = { name: 'Rex', categoryId: 7 }

it('every response is private and must be revalidated', async () => {
  for (const path of ['/v1/pets', '/v1/pets/0', '/v1/pets?limit=0']) {
    const { headers } = await service.client.send(path)
    expect(headers['cache-control']).toBe('private, no-cache')
    expect(headers.vary).toContain('Accept, Authorization')
  }
})

it('a created pet is found at its Location', async () => {
  const { headers, json } = await service.client.createPet(rex)
  expect(headers.location).toBe(`/v1/pets/${(json as { id: number }).id}`)
  expect((await service.client.send(headers.location ?? '')).json).toEqual(json)
})

it.each([
  ['the same tag', 304, (tag: string) => tag],
  ['the same tag as a weak one', 304, (tag: string) => `W/${tag}`],
  ['a list with the same tag', 304, (tag: string) => `"x", ${tag},"y"`],
  ['*', 304, () => '*'],
  ['another tag', 200, () => '"x"'],
  ['the same tag without quotes', 200, (tag: string) => tag.slice(1, -1)],
  ['an empty value', 200, () => ''],
])('If-None-Match with %s is answered with %d', async (_, status, toHeader) => {
  const { headers: created } = await service.client.createPet(rex)
  for (const path of ['/v1/pets?limit=2', created.location ?? '']) {
    for (const method of ['GET', 'HEAD']) {
      const { headers: first } = await service.client.send(path, { method })
      const headers = { 'if-none-match': toHeader(first.etag ?? '') }
      const again = await service.client.send(path, { method, headers })
      expect(again.status).toBe(status)
      expect(again.headers.etag).toBe(first.etag)
      if (status === 304) expect([again.text, again.headers['content-type']]).toEqual(['', undefined])
      if (path !== '/v1/pets?limit=2') expect(again.headers.deprecation).toBe('@1795132800')
    }
  }
})

it.each(['/v1/pets?limit=2', 'a pet', '/v1/openapi.json', '/docs'])(
  'If-Match with another tag is answered with 412: %s',
  async (where) => {
    const { headers: created } = await service.client.createPet(rex)
    const path = where === 'a pet' ? (created.location ?? '') : where
    for (const method of ['GET', 'HEAD']) {
      const { headers } = await service.client.send(path, { method })
      const ask = (tag: string) => service.client.send(path, { method, headers: { 'if-match': tag } })
      expect((await ask(headers.etag ?? '')).status).toBe(200)
      const failed = await ask('"x"')
      expect([failed.status, failed.headers.etag]).toEqual([412, undefined])
      expect(failed.headers.link ?? '').not.toContain('rel="first"')
      expect(failed.headers.deprecation).toBe(where === 'a pet' ? '@1795132800' : undefined)
      if (method === 'GET') expect(failed.json).toMatchObject({ code: 'PRECONDITION_FAILED' })
    }
  },
)

it('Cache-Control: no-cache in a request does not prevent a 304', async () => {
  const { headers } = await service.client.send('/v1/pets')
  const request = { headers: { 'if-none-match': headers.etag ?? '', 'cache-control': 'no-cache' } }
  expect((await service.client.send('/v1/pets', request)).status).toBe(304)
})

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
