/** A database that its operator has made read-only, as before a switch to another one. */
import { expect, it } from 'vitest'
import { eventually } from '../../support/eventually.ts'
import { readSql } from '../../support/guide.ts'
import { runAllOn } from '../../support/postgres.ts'
import { useService } from '../../support/service.ts'

const isPostgres = process.env.TEST_DATABASE === 'postgres'
const service = useService({})

const remove = () => service.client.post('/graphql', { query: 'mutation { deletePet(id: "1") { id } }' })
const create = () => service.client.createPet({ name: 'Rex', categoryId: 1 })
/** Runs statements of the guide in a session of their own, for the user and the database of the test. */
async function runStatements(statements: readonly string[]): Promise<void> {
  const { username, pathname } = new URL(service.databaseUrl)
  const own = statements.map((statement) =>
    statement
      .replace('role petstore in database pets', `role ${username} in database ${pathname.slice(1)}`)
      .replace(`'petstore'`, `'${username}'`)
      .replace(`'pets'`, `'${pathname.slice(1)}'`),
  )
  await runAllOn(service.databaseUrl, own)
}

const linesOf = (message: RegExp) => service.log.filter(({ msg }) => message.test(String(msg)))

it.skipIf(!isPostgres)(
  'writes get 503 and change nothing, reads go on, /readyz and the log say why; later, writes succeed again',
  async () => {
    const { client } = service
    const [freeze = [], thaw = []] = readSql('docs/operations.md', 'Maintenance mode')
    expect((await create()).status).toBe(201)
    await runStatements(freeze)
    const before = await service.countPets()

    for (let time = 0; time < 3; time += 1) {
      const error = { code: 'DATABASE_UNAVAILABLE', message: expect.stringContaining('no changes') as string }
      const headers = { 'retry-after': '1' }
      expect(await create()).toMatchObject({ status: 503, headers, json: error })
      const { code, message } = error
      expect(await remove()).toMatchObject({
        status: 503,
        headers,
        json: { errors: [{ message, extensions: { code } }] },
      })
      expect((await client.send('/v1/pets?limit=1')).json).toMatchObject([{ name: 'Rex' }])
      expect(await client.send('/readyz')).toMatchObject({
        status: 200,
        json: { status: 'ready', database: 'read-only' },
      })
    }
    expect(await service.countPets()).toBe(before)
    const causes = service.log.filter(({ status }) => status === 503).map(({ cause }) => cause)
    expect(new Set(causes)).toEqual(new Set([expect.stringMatching(/^25006: /)]))
    expect(linesOf(/only in part/)).toMatchObject([
      { level: 40, problem: expect.stringMatching(/read-only/) },
    ])

    await runStatements(thaw)
    await eventually(async () => expect((await create()).status).toBe(201))
    await eventually(async () => expect((await client.send('/readyz')).json).toEqual({ status: 'ready' }))
    expect(linesOf(/again/)).toHaveLength(1)
  },
)
