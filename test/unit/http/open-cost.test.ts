import { EventEmitter } from 'node:events'
import { expect, it } from 'vitest'
import { OpenCost } from '../../../src/http/open-cost.ts'

/** A response that can be closed. */
function createResponse(destroyed = false) {
  const response = Object.assign(new EventEmitter(), { destroyed })
  return Object.assign(response, { close: () => response.emit('close') })
}

const overloaded = expect.objectContaining({ code: 'OVERLOADED', cause: 'open cost' }) as Error

it('one key may hold half of the maximum open cost, which is released when its responses are closed', () => {
  const open = new OpenCost()
  const [one, other] = [createResponse(), createResponse()]
  open.hold('ann', 19_999, one)
  open.hold('ann', 1, other)
  expect(() => open.hold('ann', 1, createResponse())).toThrow(overloaded)
  other.close()
  open.hold('ann', 1, createResponse())
  one.close()
  open.hold('ann', 19_999, createResponse())
  expect(() => open.hold('ann', 1, createResponse())).toThrow(overloaded)
})

it('all keys together may hold the maximum open cost', () => {
  const open = new OpenCost()
  const last = createResponse()
  for (const key of ['ann', 'bob']) open.hold(key, 19_999, createResponse())
  open.hold('eve', 2, last)
  expect(() => open.hold('eve', 1, createResponse())).toThrow(overloaded)
  last.close()
  open.hold('eve', 2, createResponse())
})

it('a rejected request holds no open cost, and neither does one whose client has disconnected', () => {
  const open = new OpenCost()
  expect(() => open.hold('ann', 20_001, createResponse())).toThrow(overloaded)
  for (let time = 0; time < 3; time += 1) open.hold('ann', 20_000, createResponse(true))
  open.hold('ann', 20_000, createResponse())
})
