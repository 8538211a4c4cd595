/** Requests whose end two servers could disagree on. Behind a proxy, the rest of one could become another client's request. */
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { copyDataDirectory } from '../support/database.ts'
import { useDirectory } from '../support/directory.ts'
import { KEY } from '../support/service.ts'
import { endServersAfter, report, type Server, startServer } from './server.ts'
import { readAll } from './traffic.ts'

const directory = useDirectory()
let server: Server
endServersAfter(afterAll)
beforeAll(async () => {
  const data = join(directory, 'data')
  copyDataDirectory(data)
  server = await startServer({ DATA_DIR: data })
})

const body = '{"name":"smuggled","categoryId":1}'
const length = `Content-Length: ${body.length}`
const chunked = 'Transfer-Encoding: chunked'
const chunks = `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`
/** What follows, for a server that takes the first request to have ended. */
const second = post([length, 'Connection: close'], body)

function post(headers: string[], content: string, end = '\r\n'): string {
  const all = [
    'POST /v1/pets HTTP/1.1',
    'Host: x',
    `Authorization: Bearer ${KEY}`,
    'Content-Type: application/json',
    ...headers,
  ]
  return [...all, '', content].join(end)
}
/** The body as a chunk with a different start or end. */
const chunk = (size: string, end = '\r\n', data = body) =>
  post([chunked], `${size}${end}${data}\r\n0\r\n\r\n`)
const size = body.length.toString(16)
const get = (line: string, ...headers: string[]) =>
  [line, 'Host: x', `Authorization: Bearer ${KEY}`, ...headers, '', ''].join('\r\n')

const SHAPES: [string, string][] = [
  ['Content-Length, then Transfer-Encoding', post([length, chunked], chunks)],
  ['Transfer-Encoding, then Content-Length', post([chunked, length], chunks)],
  ['two different lengths', post([length, 'Content-Length: 5'], body)],
  ['the same length twice', post([length, length], body)],
  ['a list of lengths', post([`${length}, ${body.length}`], body)],
  ['a length with a sign', post([`Content-Length: +${body.length}`], body)],
  ['a negative length', post(['Content-Length: -1'], body)],
  ['a hexadecimal length', post([`Content-Length: 0x${size}`], body)],
  ['a length with a space inside', post(['Content-Length: 3 4'], body)],
  ['an empty length', post(['Content-Length: '], body)],
  ['a length beyond 64 bits', post(['Content-Length: 18446744073709551650'], body)],
  ['an encoding after chunked', post(['Transfer-Encoding: chunked, identity'], chunks)],
  ['an unknown encoding', post(['Transfer-Encoding: xchunked'], chunks)],
  ['an encoding with a vertical tab', post(['Transfer-Encoding: \vchunked'], chunks)],
  ['an encoding in quotes', post(['Transfer-Encoding: "chunked"'], chunks)],
  ['two encodings', post([chunked, 'Transfer-Encoding: identity'], chunks)],
  ['a space before the colon of a length', post([`Content-Length : ${body.length}`], body)],
  ['a space before the colon of an encoding', post(['Transfer-Encoding : chunked'], chunks)],
  ['a tab before the colon', post([`Content-Length\t: ${body.length}`], body)],
  ['a folded header', post(['X: a', ' b', length], body)],
  ['a folded encoding', post(['Transfer-Encoding:', ' chunked'], chunks)],
  ['bare line feeds', post([length], body, '\n')],
  ['bare carriage returns', post([length], body, '\r')],
  ['a bare carriage return in a value', post([`X: a\r${length}`, length], body)],
  ['a bare line feed in a value', post([`X: a\n${length}`, length], body)],
  ['a NUL in a value', post(['X: a\0b', length], body)],
  ['a NUL in a name', post(['X\0Y: a', length], body)],
  ['a header without a name', post([': a', length], body)],
  ['a header without a colon', post(['Content-Length', length], body)],
  ['a chunk size that is no number', chunk('zz')],
  ['a chunk size with 0x', chunk(`0x${size}`)],
  ['a chunk size with a sign', chunk(`+${size}`)],
  ['a negative chunk size', chunk('-1')],
  ['a chunk size beyond 64 bits', chunk(`1000000000000000${size}`)],
  ['a space before a chunk size', chunk(` ${size}`)],
  ['a chunk size that ends in a bare line feed', chunk(size, '\n')],
  ['a chunk extension that ends in a bare line feed', chunk(`${size};a\nb`)],
  ['a chunk that is longer than its size', chunk('5')],
  ['an empty chunk size', chunk('')],
  ['a tab in the request line', get('GET\t/v1/pets HTTP/1.1')],
  ['a space in the target', get('GET /v1/pets /v1 HTTP/1.1')],
  ['an unknown version', get('GET /v1/pets HTTP/1.2')],
  ['a version in lower case', get('GET /v1/pets http/1.1')],
  ['the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
]

const countAnswers = (text: string) => text.match(/HTTP\/1\.\d \d{3} /g)?.length ?? 0

it('two proper requests in one packet get two answers', async () => {
  const text = await server.client.raw(post([length], body) + second)
  expect(countAnswers(text)).toBe(2)
  expect(text.match(/HTTP\/1\.1 201 /g)).toHaveLength(2)
})

it('two proper requests and a malformed one in one packet get two answers and 400', async () => {
  const text = await server.client.raw(post([length], body) + post([length], body) + 'nonsense\r\n\r\n')
  expect(text.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 201', 'HTTP/1.1 201', 'HTTP/1.1 400'])
})

describe('each forbidden shape', () => {
  let before: number
  let refused = 0
  beforeAll(async () => {
    before = (await readAll(server.client)).size
  })
  afterAll(async () => {
    expect((await readAll(server.client)).size).toBe(before)
    report(`${refused} of ${SHAPES.length} shapes of request smuggling: one answer, 400, no pet created`)
  })

  it.each(SHAPES)(
    'a request of a forbidden shape is answered with 400 once, and its connection is closed: %s',
    async (_, first) => {
      const text = await server.client.raw(first + second)
      expect(text).toMatch(/^HTTP\/1\.1 400 /)
      expect(countAnswers(text)).toBe(1)
      expect(text).toContain('"code":"INVALID_REQUEST"')
      expect(text).toMatch(/^connection: close\r$/im)
      refused += 1
    },
  )
})
