/** A database that its operator has made read-only, as before a switch to another one. */
import { expect, it } from 'vitest'
import { eventually } from '../../support/eventually.ts'
import { useService } from '../../support/service.ts'

const isPostgres = process.env.TEST_DATABASE === 'postgres'
const service = useService({})

const create = () => service.client.createPet({ name: 'Rex', categoryId: 1 })
const linesOf = (message: RegExp) => service.log.filter(({ msg }) => message.test(String(msg)))

it.skipIf(!isPostgres)(
  'writes get 503 and change nothing, reads go on, /readyz and the log say why; later, writes succeed again',
  async () => {
    const { client, sql } = service
    const database = sql(new URL(service.databaseUrl).pathname.slice(1))
    expect((await create()).status).toBe(201)
    // For this user in this database only, since other tests use the same server.
    await sql`alter role current_user in database ${database} set default_transaction_read_only = on`
    await sql`
      select pg_terminate_backend(pid, 5000) from pg_stat_activity
      where application_name = 'pet-store' and datname = current_database()`

    for (let time = 0; time < 3; time += 1) {
      expect(await create()).toMatchObject({ status: 503, json: { code: 'DATABASE_UNAVAILABLE' } })
      expect(await client.graphql('mutation { deletePet(id: "1") { id } }')).toMatchObject({
        errors: [{ extensions: { code: 'DATABASE_UNAVAILABLE' } }],
      })
      expect((await client.send('/v1/pets')).json).toMatchObject([{ name: 'Rex' }])
      expect(await client.send('/readyz')).toMatchObject({
        status: 200,
        json: { status: 'ready', database: 'read-only' },
      })
    }
    expect(await service.countPets()).toBe(1)
    const causes = service.log.filter(({ status }) => status === 503).map(({ cause }) => cause)
    expect(new Set(causes)).toEqual(new Set([expect.stringMatching(/^25006: /)]))
    expect(linesOf(/only in part/)).toMatchObject([
      { level: 40, problem: expect.stringMatching(/read-only/) },
    ])

    await sql`alter role current_user in database ${database} reset default_transaction_read_only`
    await eventually(async () => expect((await create()).status).toBe(201))
    await eventually(async () => expect((await client.send('/readyz')).json).toEqual({ status: 'ready' }))
    expect(linesOf(/again/)).toHaveLength(1)
  },
)
