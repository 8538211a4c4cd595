/** Documents that are asked for by id, and a server that serves no others. */
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { ApolloClient, gql, HttpLink, InMemoryCache } from '@apollo/client'
import { PersistedQueryLink } from '@apollo/client/link/persisted-queries'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { StraightLane } from '../../src/graphql/http-straight-lane.ts'
import { readTrustedDocuments } from '../../src/trusted-manifest.ts'
import { KEY, startService, type TestService } from '../support/service.ts'

const SOURCE = `fragment Named on Pet { name }
     query first { pets(first: 1) { nodes { ...Named } } }
     mutation add($input: NewPet!) { createPet(input: $input) { ...Named } }
     subscription changes { petChanged { kind } }`

const directory = mkdtempSync(join(tmpdir(), 'pet-store-'))
const manifest = join(directory, 'trusted-documents.json')
let ids: Map<string, string>
let service: TestService
let strict: TestService

beforeAll(async () => {
  const source = join(directory, 'inventory.graphql')
  writeFileSync(source, SOURCE)
  const root = join(import.meta.dirname, '..', '..')
  await promisify(execFile)(process.execPath, ['codegen.ts', '--trust', manifest, source], { cwd: root })
  const documents = readTrustedDocuments(manifest)
  const plain = [...documents].filter(([, text]) => !text.includes('__typename'))
  ids = new Map(plain.map(([id, text]) => [/ (first|add|changes)\b/.exec(text)?.[1] ?? '', id]))
  service = await startService({ TRUSTED_DOCUMENTS: manifest })
  strict = await startService({ TRUSTED_DOCUMENTS: manifest, TRUSTED_DOCUMENTS_ONLY: 'true' })
})
afterAll(async () => {
  await service.stop()
  await strict.stop()
  rmSync(directory, { recursive: true })
})

const post = (target: TestService, body: object, headers: Record<string, string> = {}) =>
  target.client.send('/graphql', { method: 'POST', body, headers })
const persisted = (id: string | undefined) => ({
  extensions: { persistedQuery: { version: 1, sha256Hash: id?.replace('sha256:', '') } },
})
const unknown = `sha256:${'0'.repeat(64)}`

describe('a trusted document', () => {
  it('has an id that is its SHA-256, and brings its fragments', () => {
    expect([...ids.keys()].sort()).toEqual(['add', 'changes', 'first'])
    const texts = Object.values(JSON.parse(readFileSync(manifest, 'utf8')) as Record<string, string>)
    expect(texts.filter((text) => text.includes('fragment Named')).length).toBe(4)
  })

  it('runs by its id, with variables, on either server', async () => {
    for (const target of [service, strict]) {
      const variables = { input: { name: 'Rex', categoryId: 1 } }
      const { json } = await post(target, { documentId: ids.get('add'), variables })
      expect(json).toEqual({ data: { createPet: { name: 'Rex' } } })
      const search = new URLSearchParams({ documentId: ids.get('first') ?? '' }).toString()
      expect((await target.client.send(`/graphql?${search}`)).json).toMatchObject({ data: { pets: {} } })
      expect((await post(target, persisted(ids.get('first')))).json).toMatchObject({ data: { pets: {} } })
    }
  })

  it("runs by the hash of Apollo Client's persisted-query link, which adds __typename", async () => {
    const persistedLink = new PersistedQueryLink({
      sha256: (text) => createHash('sha256').update(text).digest('hex'),
    })
    const headers = { authorization: `Bearer ${KEY}` }
    const client = new ApolloClient({
      link: persistedLink.concat(new HttpLink({ uri: `${strict.url}/graphql`, headers })),
      cache: new InMemoryCache(),
    })
    const query = gql(SOURCE.replace(/ (mutation|subscription) .*/g, ''))
    expect((await client.query({ query })).data).toMatchObject({ pets: { __typename: 'PetConnection' } })
    const mutation = gql(SOURCE.replace(/ (query|subscription) .*/g, ''))
    const variables = { input: { name: 'Rex', categoryId: '1' } }
    expect((await client.mutate({ mutation, variables })).data).toMatchObject({ createPet: { name: 'Rex' } })
  })

  it('that comes again takes the straight lane, and is answered as on the other', async () => {
    const answer = vi.spyOn(StraightLane.prototype, 'answer')
    const body = { documentId: ids.get('first') }
    for (const target of [service, strict]) {
      for (let time = 0; time < 4; time += 1) await post(target, body)
      answer.mockClear()
      const straight = await post(target, body, { 'x-request-id': 'same' })
      expect(await answer.mock.results[0]?.value).toHaveProperty('body', straight.text)
      // A query string keeps a request on Yoga's lane.
      const request = { method: 'POST', body, headers: { 'x-request-id': 'same' } }
      const other = await target.client.send('/graphql?', request)
      expect(answer).toHaveBeenCalledTimes(1)
      for (const part of ['status', 'text'] as const) expect(straight[part]).toEqual(other[part])
      const withoutDate = ({ headers }: typeof other) => ({ ...headers, date: undefined })
      expect(withoutDate(straight)).toEqual(withoutDate(other))
    }
    answer.mockRestore()
  })

  it('that is a mutation is not run by GET', async () => {
    const search = new URLSearchParams({ documentId: ids.get('add') ?? '' }).toString()
    expect((await strict.client.send(`/graphql?${search}`)).status).toBe(405)
  })

  it.each([
    ['is not known', { documentId: unknown }, 404, 'DOCUMENT_NOT_FOUND'],
    ['has no id', { documentId: 7 }, 404, 'DOCUMENT_NOT_FOUND'],
    [
      'is not known, in the form of automatic persisted queries',
      persisted(unknown),
      400,
      'PERSISTED_QUERY_NOT_SUPPORTED',
    ],
    ['comes with a text', { documentId: unknown, query: '{ __typename }' }, 400, 'INVALID_REQUEST'],
  ])('is refused when it %s', async (_, body, status, code) => {
    for (const target of [service, strict]) {
      const response = await post(target, body)
      expect(response.json).toMatchObject({ errors: [{ extensions: { code } }] })
      expect(response.status).toBe(status)
    }
  })
})

describe('any other document', () => {
  it('is served where the switch is off, and not remembered', async () => {
    expect((await post(service, { query: '{ __typename }', ...persisted(unknown) })).json).toEqual({
      data: { __typename: 'Query' },
    })
    expect((await post(service, persisted(unknown))).json).toMatchObject({
      errors: [{ message: 'PersistedQueryNotSupported' }],
    })
  })

  it.each([
    ['a query', { query: '{ __typename }' }, {}],
    ['one with the id of a trusted one', { query: '{ __typename }', ...persisted('') }, {}],
    ['introspection', { query: '{ __schema { queryType { name } } }' }, {}],
    ['one that says that it comes from GraphiQL', { query: '{ __typename }' }, { 'x-graphiql': 'true' }],
    [
      'a subscription',
      { query: 'subscription { petChanged { kind } }' },
      { accept: 'text/event-stream, application/json' },
    ],
  ])('is refused where the switch is on: %s', async (_, body, headers) => {
    const { text, status } = await post(strict, body, headers)
    expect(text).toContain('DOCUMENT_NOT_TRUSTED')
    if (!('accept' in headers)) expect(status).toBe(403)
  })
})

describe('a manifest', () => {
  it.each([
    ['that is not there', null, /cannot be read/],
    ['that is no JSON', '{', /cannot be read/],
    ['that is no object', '[]', /must be a JSON object/],
    [
      'with an id that is not the digest',
      JSON.stringify({ [unknown]: '{ __typename }' }),
      /is not the SHA-256/,
    ],
    ['with a document that is no text', JSON.stringify({ [unknown]: 1 }), /must be the text/],
  ])('%s stops the start', async (_, content, message) => {
    const path = join(directory, 'broken.json')
    if (content !== null) writeFileSync(path, content)
    await expect(startService({ TRUSTED_DOCUMENTS: path })).rejects.toThrow(message)
    rmSync(path, { force: true })
  })

  it('may have ids without the prefix, as other tools write them', () => {
    const path = join(directory, 'bare.json')
    const id = ids.get('first') ?? ''
    const text = readTrustedDocuments(manifest).get(id)
    writeFileSync(path, JSON.stringify({ [id.replace('sha256:', '')]: text }))
    expect([...readTrustedDocuments(path).keys()]).toEqual([id])
  })
})
