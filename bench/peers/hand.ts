/**
 * The server to beat: the REST contract, hand-written on Fastify and postgres.js, with everything that our responses have: key
 * check, validation, Error bodies, exact int64, pagination, request ids, ETags and deprecation headers.
 */
import { hash, randomUUID } from 'node:crypto'
import type { FastifyError } from 'fastify'
import { createFastify, listen, requireKey } from './peer.ts'
import { connectPets, decodeCursor, encodeCursor, type NewPet, type Pet } from './pets.ts'

type Int64 = number | bigint

const MAX_INT64 = 2n ** 63n - 1n
const STATUSES = ['available', 'pending', 'sold']

const pet = {
  type: 'object',
  required: ['id', 'name', 'categoryId'],
  properties: {
    id: { type: 'integer' },
    name: { type: 'string' },
    categoryId: { type: 'integer' },
    status: { type: 'string' },
  },
}
const error = {
  type: 'object',
  required: ['code', 'message', 'status'],
  properties: { code: { type: 'string' }, message: { type: 'string' }, status: { type: 'integer' } },
}
const errors = { '4xx': error, '5xx': error }

class ApiError extends Error {
  readonly status: number
  readonly code: string

  constructor(status: number, code: string, message: string) {
    super(message)
    this.status = status
    this.code = code
  }
}

// A double is exact up to 15 digits, and cheaper than a BigInt.
const pets = connectPets<Int64>((digits) => (digits.length < 16 ? Number(digits) : BigInt(digits)))

const app = createFastify({
  genReqId: ({ headers }) => {
    const given = headers['x-request-id']
    return typeof given === 'string' && /^[\w.-]{1,128}$/.test(given) ? given : randomUUID()
  },
})
app.addHook('onRequest', (request, reply, done) => {
  reply.header('x-request-id', request.id)
  done()
})
requireKey(app)

app.addHook('onSend', (request, reply, payload, done) => {
  reply.header('cache-control', 'private, no-cache')
  reply.header('vary', 'Authorization')
  if (request.method !== 'GET' || reply.statusCode !== 200 || typeof payload !== 'string') {
    done(null, payload)
    return
  }
  const etag = `"${hash('sha1', `${String(reply.getHeader('link'))}\n${payload}`, 'base64url')}"`
  reply.header('etag', etag)
  if (request.headers['if-none-match'] === etag) {
    reply.code(304).removeHeader('content-type')
    done(null, null)
  } else done(null, payload)
})

app.setErrorHandler<FastifyError | ApiError>((failure, request, reply) => {
  const status = failure instanceof ApiError ? failure.status : (failure.statusCode ?? 500)
  if (status >= 500) request.log.error({ err: failure }, 'a request failed')
  const message = status < 500 ? failure.message : 'Internal error.'
  return reply.code(status).send({ code: status < 500 ? failure.code : 'INTERNAL', message, status })
})
app.setNotFoundHandler(() => {
  throw new ApiError(404, 'NOT_FOUND', 'Not found.')
})

app.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, text: string, done) => {
  try {
    done(null, parseJson(text))
  } catch {
    done(new ApiError(400, 'INVALID_REQUEST', 'The body must be JSON.'))
  }
})

app.get<{ Querystring: Record<string, unknown> }>(
  '/v1/pets',
  { schema: { response: { 200: { type: 'array', items: pet }, ...errors } } },
  async ({ query: { limit = '20', status, after } }, reply) => {
    if (typeof limit !== 'string' || !/^([1-9]\d?|100)$/.test(limit)) {
      throw new ApiError(400, 'INVALID_VALUE', 'limit must be an integer from 1 to 100.')
    }
    if (status !== undefined && !isStatus(status)) {
      throw new ApiError(400, 'INVALID_VALUE', `status must be one of ${STATUSES.join(', ')}.`)
    }
    const start = typeof after === 'string' ? decodeCursor(after) : null
    if (after !== undefined && start === null) {
      throw new ApiError(400, 'INVALID_VALUE', 'after must be a cursor that this service returned.')
    }

    const page = await pets.list(Number(limit), start ?? undefined, status)
    const address = `</v1/pets?limit=${limit}${status === undefined ? '' : `&status=${status}`}`
    const last = page.pets.at(-1)
    const next = page.hasNext && last ? `, ${address}&after=${encodeCursor(last.id)}>; rel="next"` : ''
    reply.header('link', `${address}>; rel="first"${next}`)
    return page.pets.map(toBody)
  },
)

const DEPRECATION = {
  deprecation: '@1795132800',
  sunset: 'Thu, 05 Dec 2030 00:00:00 GMT',
  link: '</v1/pets>; rel="successor-version", </docs>; rel="deprecation"; type="text/html", </docs>; rel="sunset"; type="text/html"',
}

app.get<{ Params: { petId: string } }>(
  '/v1/pets/:petId',
  { schema: { response: { 200: pet, ...errors } } },
  async ({ params: { petId } }, reply) => {
    reply.headers(DEPRECATION)
    const found = isInt64(petId) ? await pets.find(petId) : null
    if (!found) throw new ApiError(404, 'PET_NOT_FOUND', 'No pet has this id.')
    return toBody(found)
  },
)

app.post('/v1/pets', { schema: { response: { 201: pet, ...errors } } }, async ({ body }, reply) => {
  const created = await pets.create(readNewPet(body))
  reply.code(201).header('location', `/v1/pets/${created.id}`)
  return toBody(created)
})

await listen(app)

/** Only a long integer can lose digits as a double, so the source text of numbers is examined only then. */
function parseJson(text: string): unknown {
  if (!/\d{16}/.test(text)) return JSON.parse(text)
  const parse: (text: string, reviver: Reviver) => unknown = JSON.parse
  return parse(text, (_key, value, { source = '' } = {}) =>
    typeof value === 'number' && /^-?\d{16,19}$/.test(source) ? BigInt(source) : value,
  )
}

/** The reviver's third argument (ECMAScript, "JSON.parse source text access"), which TypeScript 5 does not know. */
type Reviver = (key: string, value: unknown, context?: { source?: string }) => unknown

function readNewPet(body: unknown): NewPet {
  if (typeof body !== 'object' || body === null)
    throw new ApiError(400, 'INVALID_VALUE', 'The body must be an object.')
  const { name, categoryId, status = null }: Record<string, unknown> = { ...body }
  if (typeof name !== 'string' || name.includes('\0') || !name.isWellFormed()) {
    throw new ApiError(400, 'INVALID_VALUE', 'name must be a string.')
  }
  if (!Number.isSafeInteger(categoryId) && !(typeof categoryId === 'bigint' && isInt64(String(categoryId)))) {
    throw new ApiError(400, 'INVALID_VALUE', 'categoryId must be a 64-bit integer.')
  }
  if (status !== null && !isStatus(status)) {
    throw new ApiError(400, 'INVALID_VALUE', `status must be one of ${STATUSES.join(', ')}.`)
  }
  return { name, categoryId: String(categoryId), status }
}

function isStatus(value: unknown): value is string {
  return typeof value === 'string' && STATUSES.includes(value)
}

function isInt64(digits: string): boolean {
  if (!/^(0|-?[1-9]\d{0,18})$/.test(digits)) return false
  return digits.length < 19 || (BigInt(digits) <= MAX_INT64 && BigInt(digits) >= -MAX_INT64 - 1n)
}

/** The contract has no null: a status that is not set is omitted. */
function toBody({ id, name, categoryId, status }: Pet<Int64>) {
  return status === null ? { id, name, categoryId } : { id, name, categoryId, status }
}
