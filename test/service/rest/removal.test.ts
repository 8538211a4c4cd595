/** A deprecated operation that is no longer served: REMOVED_OPERATIONS. */
import { describe, expect, it } from 'vitest'
import { checkServer } from '../../conformance/check-server.ts'
import { idOf } from '../../support/client.ts'
import { KEY, READ_KEY, useService } from '../../support/service.ts'

const service = useService({ REMOVED_OPERATIONS: 'getPet', RATE_LIMIT: '1000/60' })
const announcement = {
  deprecation: '@1795132800',
  sunset: 'Thu, 05 Dec 2030 00:00:00 GMT',
  link: expect.stringContaining('</v1/pets>; rel="successor-version"') as unknown,
}
const gone = {
  code: 'OPERATION_REMOVED',
  message: expect.any(String),
  status: 410,
}

describe('getPet, once removed,', () => {
  const cases: [what: string, path: string, request: object, status: number, code: string | undefined][] = [
    ['answers 410 for a pet', '/v1/pets/1', {}, 410, 'OPERATION_REMOVED'],
    ['answers 410 for what is no id', '/v1/pets/abc', {}, 410, 'OPERATION_REMOVED'],
    ['answers 410 to a read-only key', '/v1/pets/1', { key: READ_KEY }, 410, 'OPERATION_REMOVED'],
    ['answers 410 to HEAD', '/v1/pets/1', { method: 'HEAD' }, 410, undefined],
    ['answers 401 first', '/v1/pets/1', { key: null }, 401, 'UNAUTHORIZED'],
    ['answers 405 first', '/v1/pets/1', { method: 'PROPFIND' }, 405, 'METHOD_NOT_ALLOWED'],
  ]
  it.each(cases)('%s', async (_, path, request, status, code) => {
    const answer = await service.client.send(path, request)
    expect(answer.status).toBe(status)
    expect((answer.json as { code?: string } | undefined)?.code).toBe(code)
    if (status !== 405) expect(answer.headers).toMatchObject(announcement)
    if (code === 'OPERATION_REMOVED') expect(answer.json).toEqual(gone)
  })

  it('is not in the contract that is published, nor is the header that leads to it', async () => {
    const { json, text } = await service.client.send('/v1/openapi.json')
    const { paths } = json as { paths: Record<string, object> }
    expect(paths).toHaveProperty('/pets')
    expect(paths['/pets/{petId}'] ?? {}).not.toHaveProperty('get')
    expect(text).not.toContain('getPet')
    expect(text).not.toContain('#/components/headers/Location')
  })

  it('leaves creations without a Location, and the graph as it was', async () => {
    const created = await service.client.createPet({ name: 'Rex', categoryId: 7 })
    expect([created.status, created.headers.location]).toEqual([201, undefined])
    const id = idOf(created)
    expect(await service.client.graphql(`{ pet(id: "${id}") { name } }`)).toMatchObject({
      data: { pet: { name: 'Rex' } },
    })
  })

  it('still logs its calls by key', async () => {
    const before = service.log.length
    await service.client.send('/v1/pets/1')
    const [line] = service.log.slice(before).filter(({ msg }) => msg === 'request')
    expect(line).toMatchObject({ operation: 'getPet', status: 410, key: 'test' })
  })

  it('is reported as removed by `npm run verify`, and all else of the contract holds', async () => {
    const results = await Array.fromAsync(
      checkServer({
        send: ({ path, ...request }) => service.client.send(path, { ...request, key: null }),
        key: KEY,
        writes: true,
        onCreated: () => undefined,
      }),
    )
    const outcomes = (pattern: RegExp) =>
      new Set(results.filter(({ id }) => pattern.test(id)).map(({ outcome }) => outcome))
    expect(outcomes(/^GET-0[13]$/)).toEqual(new Set(['removed']))
    expect(results.filter(({ outcome }) => outcome === 'fails')).toEqual([])
  })
})
