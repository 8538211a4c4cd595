/** Trusted documents: run by their id, and optionally the only documents allowed. */
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { readConfig } from '../../../../src/config/config.ts'
import { identifyDocument } from '../../../../src/graphql/documents/trusted-documents.ts'
import { startServer } from '../../../../src/server/server.ts'
import { useDirectory } from '../../../support/directory.ts'
import { byGraphqlJs, watchCompiled } from '../../../support/compiled-documents.ts'
import { useService } from '../../../support/service.ts'

const NAMED = 'fragment Named on Pet { name }'
const DOCUMENTS = {
  first: `query first { pets(first: 1) { nodes { ...Named } } } ${NAMED}`,
  add: `mutation add($input: NewPet!) { createPet(input: $input) { ...Named } } ${NAMED}`,
  changes: 'subscription changes { petChanged { kind } }',
}

const directory = useDirectory()
const manifest = join(directory, 'trusted-documents.json')
const ids = new Map(Object.entries(DOCUMENTS).map(([name, text]) => [name, identifyDocument(text)]))
beforeAll(() => {
  const texts = Object.values(DOCUMENTS)
  writeFileSync(
    manifest,
    JSON.stringify(Object.fromEntries(texts.map((text) => [identifyDocument(text), text]))),
  )
})
/** Allows all documents. */
const open = useService({ TRUSTED_DOCUMENTS: manifest })
/** Allows only trusted documents. */
const strict = useService({ TRUSTED_DOCUMENTS: manifest, TRUSTED_DOCUMENTS_ONLY: 'true' })

type Target = Pick<typeof open, 'client'>
const post = ({ client }: Target, body: object, headers: Record<string, string> = {}) =>
  client.post('/graphql', body, { headers })
const persisted = (id: string | undefined) => ({
  extensions: { persistedQuery: { version: 1, sha256Hash: id?.replace('sha256:', '') } },
})
const unknown = `sha256:${'0'.repeat(64)}`

describe('a trusted document', () => {
  it('is run by its id, with variables', async () => {
    for (const target of [open, strict]) {
      const variables = { input: { name: 'Rex', categoryId: 1 } }
      const { json } = await post(target, { documentId: ids.get('add'), variables })
      expect(json).toEqual({ data: { createPet: { name: 'Rex' } } })
      const search = new URLSearchParams({ documentId: ids.get('first') ?? '' }).toString()
      expect((await target.client.send(`/graphql?${search}`)).json).toMatchObject({ data: { pets: {} } })
      expect((await post(target, persisted(ids.get('first')))).json).toMatchObject({ data: { pets: {} } })
    }
  })

  it('that is sent again takes the fast path, whose answer equals that of Yoga', async () => {
    const body = { documentId: ids.get('first') }
    const send = (target: Target) =>
      watchCompiled(async () => {
        const { status, headers, text } = await post(target, body, { 'x-request-id': 'same' })
        return { status, headers: { ...headers, date: undefined }, text }
      })
    for (const target of [open, strict]) {
      for (let time = 0; time < 4; time += 1) await post(target, body)
      const fast = await send(target)
      expect(fast).toMatchObject({ isCompiled: true, answer: { status: 200 } })
      expect(await byGraphqlJs(() => send(target))).toEqual({ ...fast, isCompiled: false })
    }
  })

  it('that is a mutation is not run by GET', async () => {
    const search = new URLSearchParams({ documentId: ids.get('add') ?? '' }).toString()
    expect((await strict.client.send(`/graphql?${search}`)).status).toBe(405)
  })

  it.each([
    ['is not known', { documentId: unknown }, 404, 'DOCUMENT_NOT_FOUND'],
    ['is unknown, and sent by its hash', persisted(unknown), 400, 'PERSISTED_QUERY_NOT_SUPPORTED'],
  ])('is rejected if it %s', async (_, body, status, code) => {
    for (const target of [open, strict])
      expect(await post(target, body)).toMatchObject({ status, json: { errors: [{ extensions: { code } }] } })
  })
})

describe('any other document', () => {
  it('is run without TRUSTED_DOCUMENTS_ONLY, and not stored', async () => {
    expect((await post(open, { query: '{ __typename }', ...persisted(unknown) })).json).toEqual({
      data: { __typename: 'Query' },
    })
    expect((await post(open, persisted(unknown))).json).toMatchObject({
      errors: [{ message: 'PersistedQueryNotSupported' }],
    })
  })

  it.each([
    ['a query', '{ __typename }', '*/*'],
    ['a subscription', 'subscription { petChanged { kind } }', 'text/event-stream'],
  ])('is rejected with TRUSTED_DOCUMENTS_ONLY: %s', async (_, query, accept) => {
    const { text, status } = await post(strict, { query }, { accept })
    expect([status, text]).toEqual([403, expect.stringContaining('DOCUMENT_NOT_TRUSTED')])
  })
})

it('a manifest that is not valid prevents the start, before a database is opened', async () => {
  const path = join(directory, 'broken.json')
  writeFileSync(path, '[]')
  const data = join(directory, 'data')
  const config = readConfig({ PORT: '0', DATA_DIR: data, TRUSTED_DOCUMENTS: path })
  const output = { onProgress: () => undefined, log: { write: () => undefined } }
  await expect(startServer(config, output)).rejects.toThrow(/must be a JSON object/)
  expect(existsSync(data)).toBe(false)
})
