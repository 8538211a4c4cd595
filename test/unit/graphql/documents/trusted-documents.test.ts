import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { OperatorError } from '../../../../src/base/operator-error.ts'
import {
  identifyDocument,
  readTrustedDocuments,
} from '../../../../src/graphql/documents/trusted-documents.ts'
import { useDirectory } from '../../../support/directory.ts'
import { createGraphqlClient } from '../../support/graphql-client.ts'

const text = '{ __typename }'
const id = identifyDocument(text)
const hash = id.replace('sha256:', '')

it('the id of a document is the SHA-256 of its text', () => {
  expect(identifyDocument('')).toBe('sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855')
})

describe('a manifest', () => {
  const path = join(useDirectory(), 'manifest.json')
  function read(content: string) {
    writeFileSync(path, content)
    return readTrustedDocuments(path)
  }

  it.each([
    ['with the prefix', id],
    ['without the prefix', hash],
  ])('has documents by id, %s', (_, key) => {
    expect(read(JSON.stringify({ [key]: text }))).toEqual(new Map([[id, text]]))
  })

  it('may be empty', () => {
    expect(read('{}')).toEqual(new Map())
  })

  /** As Apollo's generate-persisted-query-manifest writes it. */
  const apollo = (operations: unknown) =>
    JSON.stringify({ format: 'apollo-persisted-query-manifest', version: 1, operations })

  it("may be Apollo's list of operations", () => {
    expect(read(apollo([{ id: hash, name: 'A', type: 'query', body: text }]))).toEqual(new Map([[id, text]]))
    expect(read(apollo([]))).toEqual(new Map())
  })

  it.each([
    ['that is not JSON', '{', /cannot be read: /],
    ['that is a list', '[]', /must be a JSON object/],
    ['that is null', 'null', /must be a JSON object/],
    ['with a document that is not a string', `{"${id}": 5}`, /must be the text of a document/],
    ['with the id of another document', `{"${id}": "{ other }"}`, /is not the SHA-256 of its document/],
    ["of Apollo's format without operations", apollo(undefined), /operations must be a list/],
    ['with operations that are no list', apollo({ [hash]: text }), /operations must be a list/],
    ['with an operation that is no object', apollo([text]), /operation 0 must be an object with/],
    ['with an operation without an id', apollo([{ body: text }]), /operation 0 must be an object with/],
    ['with an operation without a body', apollo([{ id: hash }]), /must be the text of a document/],
    [
      'with the id of another operation',
      apollo([{ id: '1', body: text }]),
      /1 is not the SHA-256 of its document/,
    ],
    ['with the prefix twice', `{"sha256:${id}": "${text}"}`, /is not the SHA-256 of its document/],
  ])('%s is rejected', (_, content, message) => {
    expect(() => read(content)).toThrow(OperatorError)
    expect(() => read(content)).toThrow(message)
  })

  it('that does not exist is rejected, and the error has its path', () => {
    expect(() => readTrustedDocuments('/nowhere/manifest.json')).toThrow(
      /^TRUSTED_DOCUMENTS cannot be used: \/nowhere\/manifest\.json cannot/,
    )
  })
})

describe('a request', () => {
  const client = createGraphqlClient({
    trusted: { documents: new Map([[id, text]]), only: true },
  })
  const persisted = (sha256Hash: unknown) => ({ extensions: { persistedQuery: { version: 1, sha256Hash } } })
  const success = { status: 200, body: { data: { __typename: 'Query' } } }

  it.each<[string, object]>([
    ['the id of a trusted document', { documentId: id }],
    ['its hash, as Apollo Client sends it', persisted(hash)],
  ])('is answered if it has %s', async (_, body) => {
    expect(await client.post(body)).toMatchObject(success)
  })

  it.each<[string, object, number, string]>([
    ['an unknown id', { documentId: 'sha256:x' }, 404, 'DOCUMENT_NOT_FOUND'],
    ['an empty id', { documentId: '' }, 404, 'DOCUMENT_NOT_FOUND'],
    ['an id that is not a string', { documentId: 5 }, 400, 'INVALID_REQUEST'],
    ['an unknown id and a known hash', { documentId: 'x', ...persisted(hash) }, 404, 'DOCUMENT_NOT_FOUND'],
    ['an unknown hash', persisted('x'), 400, 'PERSISTED_QUERY_NOT_SUPPORTED'],
    ['a hash that is not a string', persisted(5), 400, 'INVALID_REQUEST'],
    ['null for a persisted query', { extensions: { persistedQuery: null } }, 400, 'INVALID_REQUEST'],
    ['an id and a query', { documentId: id, query: text }, 400, 'INVALID_REQUEST'],
    ['a query', { query: text }, 403, 'DOCUMENT_NOT_TRUSTED'],
    ['introspection', { query: '{ __schema { queryType { name } } }' }, 403, 'DOCUMENT_NOT_TRUSTED'],
    ['a query and a hash', { query: text, ...persisted(hash) }, 403, 'DOCUMENT_NOT_TRUSTED'],
    ['nothing', {}, 400, 'INVALID_REQUEST'],
  ])('is rejected if it has %s', async (_, body, status, code) => {
    expect(await client.post(body)).toMatchObject({ status, body: { errors: [{ extensions: { code } }] } })
  })

  it('may have the id in its query string', async () => {
    expect(await client.get({ documentId: id })).toMatchObject(success)
    expect(await client.get({ documentId: 'x' })).toMatchObject({ status: 404 })
    expect(await client.get({ documentId: id, query: text })).toMatchObject({ status: 400 })
  })
})
