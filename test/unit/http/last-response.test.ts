import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { expect, it } from 'vitest'
import { isLast, makeLast, withdrawLast } from '../../../src/http/last-response.ts'

/** @param isClosedByClient whether the client has asked for `Connection: close` */
function createResponse(isClosedByClient = false): ServerResponse {
  const response = new ServerResponse(new IncomingMessage(new Socket()))
  response.shouldKeepAlive = !isClosedByClient
  return response
}

it('a response is the last as long as there is a reason', () => {
  const response = createResponse()
  makeLast(response, 'body not asked for')
  makeLast(response, 'server stops')
  withdrawLast(response, 'body not asked for')
  expect(isLast(response)).toBe(true)
  withdrawLast(response, 'server stops')
  expect(isLast(response)).toBe(false)
})

it('it stays the last if the client has asked for that', () => {
  const response = createResponse(true)
  makeLast(response, 'server stops')
  withdrawLast(response, 'server stops')
  expect(isLast(response)).toBe(true)
})

it('a reason that it does not have is not withdrawn', () => {
  const response = createResponse(true)
  withdrawLast(response, 'server stops')
  expect(isLast(response)).toBe(true)
})

it('nothing changes once its headers have been sent', () => {
  const [kept, last] = [createResponse(), createResponse()]
  makeLast(last, 'server stops')
  for (const response of [kept, last]) response.writeHead(200).flushHeaders()
  makeLast(kept, 'server stops')
  withdrawLast(last, 'server stops')
  expect([kept, last].map(isLast)).toEqual([false, true])
})
