import { describe, expect, it } from 'vitest'
import { schema } from '../../../src/server/schema.ts'
import { createClient } from '../../support/client.ts'
import { READ_KEY, useService } from '../../support/service.ts'

const service = useService()
const reader = () => createClient(service.url, READ_KEY)

/** A call of each mutation; one that is added has to be added here. */
const mutations: Record<string, string> = {
  createPet: 'createPet(input: {name: "Rex", categoryId: 7}) { id }',
  updatePet: 'updatePet(id: 1, input: {name: "Rex"}) { id }',
  deletePet: 'deletePet(id: 1) { id }',
}

it('every mutation of the graph is in the table', () => {
  expect(Object.keys(mutations).sort()).toEqual(
    Object.keys(schema.getMutationType()?.getFields() ?? {}).sort(),
  )
})

describe('with the scope read', () => {
  it.each(Object.entries(mutations))('a read key may not call %s, and nothing changes', async (_, call) => {
    const created = await service.client.createPet({ name: 'Max', categoryId: 1 })
    const { status, errors } = await reader().graphql(`mutation { ${call} }`)
    expect([status, errors]).toMatchObject([403, [{ extensions: { code: 'FORBIDDEN' } }]])
    expect((await service.client.send(String(created.headers.location))).text).toBe(created.text)
  })

  it('a read key may query', async () => {
    const { data, errors } = await reader().graphql('{ pets(first: 1) { totalCount } }')
    expect([typeof data?.pets, errors]).toEqual(['object', undefined])
  })
})

it('the SDL is for every key, and for GET', async () => {
  for (const client of [reader(), service.client]) {
    const { status, headers, text } = await client.send('/schema.graphql')
    expect([status, headers['content-type']]).toEqual([200, 'text/plain; charset=utf-8'])
    expect(text).toContain('type Pet implements Node {')
    for (const method of ['GET', 'POST'])
      expect((await client.send('/schema.graphql', { method, key: null })).status).toBe(401)
    const posted = await client.send('/schema.graphql', { method: 'POST' })
    expect([posted.status, posted.headers.allow]).toEqual([405, 'GET, HEAD, OPTIONS'])
  }
})
