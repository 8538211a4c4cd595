/** Tables that disappear under a running server, or that its user may no longer use. */
import type { Sql } from 'postgres'
import { expect, it } from 'vitest'
import { eventually } from '../../support/eventually.ts'
import { errorsIn, useService } from '../../support/service.ts'

const isPostgres = process.env.TEST_DATABASE === 'postgres'
const service = useService({})

/** A request of each kind. */
const requests = [
  () => service.client.send('/v1/pets'),
  () => service.client.send('/v1/pets?status=sold&limit=3'),
  () => service.client.send('/v1/pets/1'),
  () => service.client.createPet({ name: 'Rex', categoryId: 1 }),
  () =>
    service.client.createPet(
      { name: 'Rex', categoryId: 1, status: 'sold' },
      { headers: { 'idempotency-key': crypto.randomUUID() } },
    ),
]
const documents = [
  '{ pets(first: 1, filter: {namePrefix: "a", status: [sold]}) { totalCount nodes { id } } }',
  'mutation { updatePet(id: "1", input: {status: sold}) { id } }',
  'mutation { updatePet(id: "1", input: {status: sold}, expected: {name: "x"}) { id } }',
  'mutation { deletePet(id: "1") { id } }',
]

it.skipIf(!isPostgres).each<[string, (sql: Sql) => Promise<unknown>, (sql: Sql) => Promise<unknown>]>([
  [
    'the table has another name',
    (sql) => sql`alter table pets rename to moved`,
    (sql) => sql`alter table moved rename to pets`,
  ],
  [
    'all tables are in a schema that is not searched',
    (sql) => sql`alter schema public rename to hidden`,
    (sql) => sql`alter schema hidden rename to public`,
  ],
  [
    'the tables and types are gone, as after a restore that failed half-way',
    (sql) =>
      sql`
      create schema kept; alter table pets set schema kept; alter type pet_status set schema kept;
      alter table idempotency_keys set schema kept`.simple(),
    (sql) =>
      sql`
      alter table kept.pets set schema public; alter type kept.pet_status set schema public;
      alter table kept.idempotency_keys set schema public; drop schema kept`.simple(),
  ],
])(
  'while %s, every request and /readyz get 503, and the log has the cause; later, they succeed',
  async (_, remove, restore) => {
    const { client, sql, log } = service
    // Statements that are prepared already, too.
    const askAll = async () => {
      const answers = await Promise.all(requests.map((request) => request()))
      const results = await Promise.all(documents.map((document) => client.graphql(document)))
      return [
        ...answers.map(({ json }) => json),
        ...results.map(({ errors }) => errors?.[0]?.extensions ?? {}),
      ]
    }
    await askAll()
    log.length = 0
    await remove(sql)
    for (let time = 0; time < 3; time += 1)
      expect(await askAll()).toEqual(
        [...requests, ...documents].map(
          () => expect.objectContaining({ code: 'DATABASE_UNAVAILABLE' }) as unknown,
        ),
      )
    expect((await client.send('/readyz')).status).toBe(503)
    expect(errorsIn(log)).toEqual([])
    const causes = log.filter(({ status }) => status === 503).map(({ cause }) => cause)
    expect(causes).toEqual(causes.map(() => expect.stringMatching(/^(42P01|42704|42883|3F000): ./) as string))
    await restore(sql)
    await eventually(async () => {
      expect((await client.send('/readyz')).status).toBe(200)
      expect((await client.send('/v1/pets')).status).toBe(200)
      expect((await client.createPet({ name: 'Rex', categoryId: 1 })).status).toBe(201)
    })
  },
)
