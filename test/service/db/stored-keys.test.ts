/** Commands about API keys that run at the same time. */
import createSql from 'postgres'
import { expect, it, onTestFinished } from 'vitest'
import { createKey, listKeys, revokeKeys, rotateKey } from '../../../src/db/stored-keys.ts'
import { DedicatedConnection } from '../../../src/db/postgres/dedicated-connection.ts'
import { toHosts } from '../../support/address.ts'
import { eventually } from '../../support/eventually.ts'
import { useService } from '../../support/service.ts'

const isPostgres = process.env.TEST_DATABASE === 'postgres'
const service = useService({})

const connect = () => {
  const connection = new DedicatedConnection(toHosts(service.databaseUrl))
  onTestFinished(() => connection[Symbol.asyncDispose]())
  return connection
}
const keyOf = (id: string) => ({ id, name: 'shop', digest: id, expires: null })

it.skipIf(!isPostgres)('a name that is revoked while it is rotated gets no new key', async () => {
  const [revoking, rotating] = [connect(), connect()]
  await createKey(revoking, { ...keyOf('first'), scope: 'read' })
  expect(await rotateKey(rotating, keyOf('second'), 60)).toMatchObject({ scope: 'read' })
  let rotated: ReturnType<typeof rotateKey> | undefined
  await revoking.transaction(async () => {
    await revokeKeys(revoking, { name: 'shop' })
    rotated = rotateKey(rotating, keyOf('third'), 60)
    await eventually(async () => expect(await countWaiting()).toBe(1))
  })
  expect(await rotated).toBeNull()
  expect(await listKeys(rotating)).toEqual([])
})

/** How many statements about keys wait for another transaction. */
async function countWaiting(): Promise<number> {
  const sql = createSql(service.databaseUrl, { max: 1 })
  try {
    const waiting = await sql`
      select from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock' and query like '%api_keys%'`
    return waiting.length
  } finally {
    await sql.end()
  }
}
