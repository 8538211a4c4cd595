/** Queries by GET have an ETag, so that a browser's own cache can keep them. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import { identifyDocument } from '../../../src/graphql/trusted-documents.ts'
import { idOf } from '../../support/client.ts'
import { useDirectory } from '../../support/directory.ts'
import { useService } from '../../support/service.ts'

const manifest = join(useDirectory(), 'trusted-documents.json')
const TRUSTED =
  'query ($id: ID!, $first: Int = 1) { pet(id: $id) { name } pets(first: $first) { totalCount } }'
const documentId = identifyDocument(TRUSTED)
beforeAll(() => writeFileSync(manifest, JSON.stringify({ [documentId]: TRUSTED })))
const service = useService({ TRUSTED_DOCUMENTS: manifest })
/** Runs a trusted document. */
const getById = (id: string, variables: string, headers: Record<string, string> = {}) =>
  service.client.send(`/graphql?${new URLSearchParams({ documentId: id, variables }).toString()}`, {
    headers,
  })
const get = (query: string, headers: Record<string, string> = {}) =>
  service.client.send(`/graphql?query=${encodeURIComponent(query)}`, { headers })

it('a query by GET is answered with 304 until its result changes', async () => {
  const id = idOf(await service.client.createPet({ name: 'Rex', categoryId: 7 }))
  const query = `{ pet(id: ${id}) { name } }`
  const first = await get(query)
  expect([first.status, first.headers['cache-control']]).toEqual([200, 'private, no-cache'])
  expect(first.headers.vary).toMatch(/Accept.*Authorization/)
  const etag = String(first.headers.etag)
  const again = await get(query, { 'if-none-match': etag })
  expect([again.status, again.text, again.headers.etag]).toEqual([304, '', etag])
  expect(again.headers['content-type']).toBeUndefined()
  await service.client.updatePet(id, { name: 'Max' })
  const changed = await get(query, { 'if-none-match': etag })
  expect([changed.status, changed.json]).toEqual([200, { data: { pet: { name: 'Max' } } }])
  expect(changed.headers.etag).not.toBe(etag)
})

it('a trusted document by GET is answered with 304 until its result changes, for each value of its variables', async () => {
  const [rex, max] = await Promise.all(
    ['Rex', 'Max'].map(async (name) => idOf(await service.client.createPet({ name, categoryId: 7 }))),
  )
  const [ofRex, ofMax] = [JSON.stringify({ id: rex }), JSON.stringify({ id: max })]
  const first = await getById(documentId, ofRex)
  expect(first).toMatchObject({ status: 200, json: { data: { pet: { name: 'Rex' } } } })
  expect(first.headers).toMatchObject({
    'cache-control': 'private, no-cache',
    vary: 'Accept, Authorization',
    etag: expect.stringMatching(/^"[\w-]+"$/) as string,
  })
  const known = { 'if-none-match': String(first.headers.etag) }
  const again = await getById(documentId, ofRex, known)
  expect([again.status, again.text, again.headers.etag]).toEqual([304, '', first.headers.etag])
  expect((await getById(documentId, ofMax, known)).status).toBe(200)
  await service.client.updatePet(rex ?? '', { name: 'Moritz' })
  const changed = await getById(documentId, ofRex, known)
  expect(changed).toMatchObject({ status: 200, json: { data: { pet: { name: 'Moritz' } } } })
  expect(changed.headers.etag).not.toBe(first.headers.etag)
})

it.each([
  ['whose id is unknown', `sha256:${'0'.repeat(64)}`, '{"id": "1"}', 'DOCUMENT_NOT_FOUND'],
  ['without its variable', documentId, '{}', 'INVALID_VALUE'],
  ['with a variable of another type', documentId, '{"id": []}', 'INVALID_VALUE'],
  ['with a variable that the service rejects', documentId, '{"id": "1", "first": -1}', 'INVALID_VALUE'],
  ['with variables that are not JSON', documentId, '{', 'INVALID_REQUEST'],
])('a trusted document %s has no ETag', async (_, id, variables, code) => {
  for (const accept of ['application/json', 'application/graphql-response+json']) {
    const { status, headers, json } = await getById(id, variables, { accept, 'if-none-match': '*' })
    expect(json).toMatchObject({ errors: [{ extensions: { code } }] })
    expect([status === 304, headers.etag]).toEqual([false, undefined])
  }
})

it.each(['application/json', 'application/graphql-response+json'])(
  'an answer with errors has no ETag: %s',
  async (accept) => {
    for (const query of [
      '{ nothing }',
      '{ pets(first: 101) { nodes { id } } }',
      '{',
      'mutation { deletePet(id: 1) { id } }',
    ]) {
      const { status, headers } = await get(query, { accept, 'if-none-match': '*' })
      expect([status === 304, headers.etag]).toEqual([false, undefined])
    }
  },
)

it('a query by POST and GraphiQL are as before', async () => {
  const posted = await service.client.post('/graphql', { query: '{ __typename }' })
  expect([posted.status, posted.headers.etag]).toEqual([200, undefined])
  const page = await service.client.send('/graphql', { headers: { accept: 'text/html' } })
  const known = await service.client.send('/graphql', {
    headers: { accept: 'text/html', 'if-none-match': String(page.headers.etag) },
  })
  expect([page.status, known.status]).toEqual([200, page.headers.etag === undefined ? 200 : 304])
})
