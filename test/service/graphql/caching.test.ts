/** Queries by GET have an ETag, so that a browser's own cache can keep them. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import { identifyDocument } from '../../../src/graphql/documents/trusted-documents.ts'
import { idOf } from '../../support/client.ts'
import { useDirectory } from '../../support/directory.ts'
import { useService } from '../../support/service.ts'

const manifest = join(useDirectory(), 'trusted-documents.json')
const query = 'query ($id: ID!, $first: Int = 1) { pet(id: $id) { name } pets(first: $first) { totalCount } }'
const documentId = identifyDocument(query)
beforeAll(() => writeFileSync(manifest, JSON.stringify({ [documentId]: query })))
const service = useService({ TRUSTED_DOCUMENTS: manifest })
const get = (parameters: Record<string, string>, headers: Record<string, string> = {}, method = 'GET') =>
  service.client.send(`/graphql?${new URLSearchParams(parameters).toString()}`, { method, headers })

it.each([
  ['a query', { query }],
  ['a trusted document', { documentId }],
])(
  '%s by GET is answered with 304 until its result changes, for each value of its variables',
  async (_, document) => {
    const ids = ['Rex', 'Max'].map(async (name) =>
      idOf(await service.client.createPet({ name, categoryId: 7 })),
    )
    const [rex = '', max] = await Promise.all(ids)
    const [ofRex, ofMax] = [rex, max].map((id) => ({ ...document, variables: JSON.stringify({ id }) }))
    const first = await get({ ...ofRex })
    expect(first).toMatchObject({ status: 200, json: { data: { pet: { name: 'Rex' } } } })
    expect(first.headers).toMatchObject({
      'cache-control': 'private, no-cache',
      vary: 'Accept, Authorization',
      etag: expect.stringMatching(/^"[\w-]+"$/) as string,
    })
    const known = { 'if-none-match': String(first.headers.etag) }
    const again = await get({ ...ofRex }, known)
    expect([again.status, again.text, again.headers.etag]).toEqual([304, '', first.headers.etag])
    expect(again.headers['content-type']).toBeUndefined()
    const head = await get({ ...ofRex }, known, 'HEAD')
    expect([head.status, head.headers.etag]).toEqual([304, first.headers.etag])
    expect(head.headers['content-type']).toBeUndefined()
    expect((await get({ ...ofMax }, known)).status).toBe(200)
    await service.client.updatePet(rex, { name: 'Moritz' })
    const changed = await get({ ...ofRex }, known)
    expect(changed).toMatchObject({ status: 200, json: { data: { pet: { name: 'Moritz' } } } })
    expect(changed.headers.etag).not.toBe(first.headers.etag)
  },
)

it.each<[string, Record<string, string>, string]>([
  ['a syntax error', { query: '{' }, 'INVALID_REQUEST'],
  ['an unknown field', { query: '{ nothing }' }, 'INVALID_REQUEST'],
  ['an invalid argument', { query: '{ pets(first: 101) { nodes { id } } }' }, 'INVALID_VALUE'],
  ['a mutation', { query: 'mutation { deletePet(id: 1) { id } }' }, 'METHOD_NOT_ALLOWED'],
  ['an unknown id', { documentId: `sha256:${'0'.repeat(64)}` }, 'DOCUMENT_NOT_FOUND'],
  ['a missing variable', { documentId, variables: '{}' }, 'INVALID_VALUE'],
  [
    'a variable that the service rejects',
    { documentId, variables: '{"id": "1", "first": -1}' },
    'INVALID_VALUE',
  ],
  ['variables that are not JSON', { documentId, variables: '{' }, 'INVALID_REQUEST'],
])('an answer with errors has no ETag: %s', async (_, parameters, code) => {
  for (const accept of ['application/json', 'application/graphql-response+json']) {
    const { status, headers, json } = await get(parameters, { accept, 'if-none-match': '*' })
    expect(json).toMatchObject({ errors: [{ extensions: { code } }] })
    expect([status === 304, headers.etag]).toEqual([false, undefined])
  }
})

it('a query by POST has no ETag', async () => {
  const { status, headers } = await service.client.post('/graphql', { query: '{ __typename }' })
  expect([status, headers.etag]).toEqual([200, undefined])
})
