import { expect, it, vi } from 'vitest'
import { ServiceError } from '../../../src/base/service-error.ts'
import { toErrorBody } from '../../../src/http/error-body.ts'
import { OpenCost } from '../../../src/http/open-cost.ts'
import { KEY, listen } from '../../support/app.ts'
import { createFakeDatabase } from '../../unit/support/database.ts'

it.each([
  ['a list costs its limit', '/v1/pets?limit=7', 7],
  ['a list costs 20 by default', '/v1/pets', 20],
  ['a pet costs 1', '/v1/pets/1', 1],
])('%s, and is rejected with OVERLOADED if the open cost is too high', async (_, path, cost) => {
  const { url } = await listen(createFakeDatabase())
  const ask = () => fetch(new URL(path, url), { headers: { authorization: `Bearer ${KEY}` } })
  const hold = vi.spyOn(OpenCost.prototype, 'hold')
  await ask()
  expect(hold.mock.calls.map(([, held]) => held)).toEqual([cost])
  hold.mockImplementation(() => {
    throw new ServiceError('OVERLOADED')
  })
  const rejected = await ask()
  expect([rejected.status, rejected.headers.get('retry-after')]).toEqual([503, '1'])
  // The Error body, not Fastify's own.
  expect(await rejected.json()).toEqual(toErrorBody(new ServiceError('OVERLOADED')))
  hold.mockRestore()
})
