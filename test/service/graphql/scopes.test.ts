import {
  type GraphQLField,
  type GraphQLInputType,
  GraphQLString,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isRequiredArgument,
  isRequiredInputField,
} from 'graphql'
import { describe, expect, it } from 'vitest'
import { schema } from '../../../src/server/schema.ts'
import { createClient } from '../../support/client.ts'
import { READ_KEY, useService } from '../../support/service.ts'

const service = useService()
const mutations = Object.values(schema.getMutationType()?.getFields() ?? {})
const reader = () => createClient(service.url, READ_KEY)

/** A call of a mutation with what it requires. */
function callOf({ name, args }: GraphQLField<unknown, unknown>): string {
  const required = args.filter(isRequiredArgument)
  return `${name}(${required.map((arg) => `${arg.name}: ${valueOf(arg.type)}`).join()}) { __typename }`
}

function valueOf(type: GraphQLInputType): string {
  if (isNonNullType(type)) return valueOf(type.ofType)
  if (isListType(type)) return '[]'
  if (isEnumType(type)) return type.getValues()[0]?.name ?? ''
  if (!isInputObjectType(type)) return type === GraphQLString ? '"Rex"' : '1'
  const required = Object.values(type.getFields()).filter(isRequiredInputField)
  return `{${required.map((field) => `${field.name}: ${valueOf(field.type)}`).join()}}`
}

describe('with the scope read', () => {
  it.each(mutations)('a read key may not call $name, and nothing changes', async (mutation) => {
    const created = await service.client.createPet({ name: 'Max', categoryId: 1 })
    const { status, errors } = await reader().graphql(`mutation { ${callOf(mutation)} }`)
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
