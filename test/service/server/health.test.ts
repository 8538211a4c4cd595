/** Requests of operators do not wait behind those of clients. */
import { expect, it, onTestFinished } from 'vitest'
import { createKeySecret } from '../../../src/keys/key-secret.ts'
import { eventually } from '../../support/eventually.ts'
import { READ_KEY, useService } from '../../support/service.ts'
import { lockPets } from '../../support/table-lock.ts'

const service = useService({ METRICS_PORT: '0' })

it('a server whose connections all wait is ready, reads keys and shows metrics', async ({ skip }) => {
  skip(service.databaseUrl === '', 'one session can lock no other')
  const { client, sql } = service
  const lock = await lockPets(service.databaseUrl)
  // Each with a statement of its own; one key does not get all connections.
  const body = { query: '{ pets(filter: { namePrefix: "x" }) { totalCount } }' }
  let answered = 0
  const requests = Array.from({ length: 40 }, async (_, index) => {
    await client.post('/graphql', body, index % 2 === 0 ? {} : { key: READ_KEY })
    answered += 1
  })
  await lock.waitFor(10)
  const { id, secret: key, digest } = createKeySecret()
  await sql`insert into api_keys (id, name, scope, digest) values (${id}, 'added', 'read', ${digest})`
  onTestFinished(async () => {
    await sql`delete from api_keys where id = ${id}`
  })
  for (const [path, options] of [
    ['/readyz', {}],
    ['/graphql?query={__typename}', { key }],
  ] as const) {
    await eventually(async () => expect((await client.send(path, options)).status).toBe(200))
    // No connection has been free meanwhile, as it is when Postgres cancels their statements after 5 seconds.
    expect([path, answered]).toEqual([path, 0])
  }
  expect(await (await fetch(service.metricsUrl)).text()).toMatch(/^db_client_connections\{.*"used".*\} 10$/m)
  await lock.release()
  await Promise.all(requests)
})
