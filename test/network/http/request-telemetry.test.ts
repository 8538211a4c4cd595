import { expect, it } from 'vitest'
import { ServiceError } from '../../../src/base/service-error.ts'
import { KEY, listen } from '../../support/app.ts'
import { eventually } from '../../support/eventually.ts'
import { createFakeDatabase } from '../../unit/support/database.ts'

it('a request that failed is one line, a warning, with the cause', async () => {
  const lines: Record<string, unknown>[] = []
  const database = createFakeDatabase(() => {
    throw new ServiceError('DATABASE_UNAVAILABLE', undefined, { cause: '57P01' })
  })
  const { url } = await listen(database, { LOG_LEVEL: 'info' }, (line) => lines.push(line))
  const headers = { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' }
  const query = '{ a: pet(id: "1") { id } b: pet(id: "1000000") { id } pets { totalCount } }'
  await fetch(new URL('/v1/pets', url), { headers })
  await fetch(new URL('/readyz', url))
  for (let time = 0; time < 3; time += 1)
    await fetch(new URL('/graphql', url), { method: 'POST', headers, body: JSON.stringify({ query }) })
  expect(lines.filter(({ msg }) => msg !== 'request').map(({ msg }) => msg)).toEqual([
    expect.stringMatching(/^Server listening/),
  ])
  const warning = {
    ...{ level: 40, status: 503, codes: ['DATABASE_UNAVAILABLE'], cause: '57P01' },
    ms: expect.any(Number) as number,
  }
  const requests = () => lines.filter(({ msg }) => msg === 'request')
  // A line may come just after the answer.
  await eventually(() => expect(requests()).toMatchObject(Array.from({ length: 5 }, () => warning)))
})
