/** schema/openapi.yaml without what it marks as additions is the specification, clause by clause. */
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { parse } from 'yaml'
import { isJsonObject } from '../../src/base/json.ts'

const contract: unknown = parse(readFileSync(new URL('../../schema/openapi.yaml', import.meta.url), 'utf8'), {
  merge: true,
})

const int64 = { type: 'integer', format: 'int64' }
const schema = (name: string) => ({ $ref: `#/components/schemas/${name}` })
const json = (name: string) => ({ content: { 'application/json': { schema: schema(name) } } })
const unauthorized = { $ref: '#/components/responses/Unauthorized' }

const specification = {
  openapi: '3.1.0',
  info: { version: '1.0.0' },
  servers: [
    { url: '{base_url}', variables: { base_url: { default: '/v1' } } },
    { url: '{staging_base_url}', variables: { staging_base_url: { default: '/v1' } } },
  ],
  security: [{ bearerAuth: [] }],
  paths: {
    '/pets': {
      get: {
        operationId: 'listPets',
        parameters: [
          { name: 'limit', in: 'query', schema: { type: 'integer', minimum: 1, maximum: 100, default: 20 } },
          { name: 'status', in: 'query', schema: schema('PetStatus') },
        ],
        responses: {
          200: { content: { 'application/json': { schema: { type: 'array', items: schema('Pet') } } } },
          401: unauthorized,
        },
      },
      post: {
        operationId: 'createPet',
        requestBody: { required: true, ...json('NewPet') },
        responses: {
          201: json('Pet'),
          400: { $ref: '#/components/responses/BadRequest' },
          401: unauthorized,
        },
      },
    },
    '/pets/{petId}': {
      get: {
        operationId: 'getPet',
        deprecated: true,
        'x-sunset': '2030-12-05',
        'x-successor': '/pets',
        parameters: [{ name: 'petId', in: 'path', required: true, schema: int64 }],
        responses: { 200: json('Pet'), 401: json('Error'), 404: json('Error') },
      },
    },
  },
  components: {
    securitySchemes: { bearerAuth: { type: 'http', scheme: 'bearer' } },
    schemas: {
      PetStatus: { type: 'string', enum: ['available', 'pending', 'sold'] },
      NewPet: {
        type: 'object',
        required: ['name', 'categoryId'],
        properties: { name: { type: 'string' }, categoryId: int64, status: schema('PetStatus') },
      },
      Pet: {
        allOf: [{ type: 'object', required: ['id'], properties: { id: int64 } }, schema('NewPet')],
      },
      Error: {
        type: 'object',
        required: ['code', 'message', 'status'],
        properties: { code: { type: 'string' }, message: { type: 'string' }, status: { type: 'integer' } },
      },
    },
    responses: { BadRequest: json('Error'), Unauthorized: json('Error') },
  },
}

/** Keywords that only explain, and require nothing of a server or a client. */
const DOCUMENTATION = ['title', 'summary', 'description', 'example', 'examples', 'tags']

/** Removes what is marked as an addition, and what is empty without it. */
function withoutAdditions(node: unknown): unknown {
  if (Array.isArray(node)) return node.filter((part) => !isAddition(part)).map(withoutAdditions)
  if (!isJsonObject(node)) return node
  const removed = new Set([...DOCUMENTATION, 'x-additions', ...addedKeywords(node)])
  const kept = Object.entries(node)
    .filter(([name, value]) => !removed.has(name) && !isAddition(value))
    .map(([name, value]) => [name, withoutAdditions(value)] as const)
    .filter(([name, value]) => !isEmpty(value) || isEmpty(node[name]))
  return Object.fromEntries(kept)
}

const isEmpty = (value: unknown) =>
  typeof value === 'object' && value !== null && Object.keys(value).length === 0

/** `x-additions` names the keywords beside it that are additions. */
const addedKeywords = (node: Record<string, unknown>) => (node['x-additions'] ?? []) as string[]

/** Whether this, or what it refers to, is marked as a whole. */
function isAddition(value: unknown): boolean {
  if (!isJsonObject(value)) return false
  return value['x-addition'] === true || (typeof value.$ref === 'string' && isAddition(resolve(value.$ref)))
}

const resolve = (reference: string) =>
  reference
    .split('/')
    .slice(1)
    .reduce<unknown>((node, step) => (isJsonObject(node) ? node[step] : undefined), contract)

/** Every object of the contract. */
function* objectsOf(node: unknown): Generator<Record<string, unknown>> {
  if (isJsonObject(node)) yield node
  if (typeof node === 'object' && node !== null)
    for (const part of Object.values(node)) yield* objectsOf(part)
}

it('without its additions, the contract is the specification', () => {
  expect(withoutAdditions(contract)).toEqual(specification)
})

/** Generators make the description of a response the message of an error, so the docs page adds the mark. */
const responses = new Set(
  [...objectsOf(contract)].flatMap((node) =>
    isJsonObject(node.responses) ? Object.values(node.responses) : [],
  ),
)

it('each addition says that it is one, since the docs page shows its description, but a response does not', () => {
  const isMarked = (node: Record<string, unknown>) =>
    node['x-addition'] === true || addedKeywords(node).some((name) => !name.startsWith('x-'))
  const wrong = [...objectsOf(contract)].filter((node) => {
    const says = /\*Addition[.*]/.test(String(node.description))
    return responses.has(node) ? says : isMarked(node) && !says
  })
  expect(wrong).toEqual([])
})

it('x-additions names only keywords that exist beside it', () => {
  for (const node of objectsOf(contract))
    for (const name of addedKeywords(node)) expect(node).toHaveProperty([name])
})
