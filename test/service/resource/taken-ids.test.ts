/** Rows that no server has created, such as those of a logical replication, may have ids that the sequence has not reached. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { idOf } from '../../support/client.ts'
import { useService } from '../../support/service.ts'

const service = useService()

it.each([
  ['over REST', () => service.client.createPet({ name: 'Rex', categoryId: 1 })],
  [
    'with an Idempotency-Key',
    () =>
      service.client.createPet(
        { name: 'Rex', categoryId: 1 },
        { headers: { 'idempotency-key': crypto.randomUUID() } },
      ),
  ],
])('creations skip the ids that are taken: %s', async (_, create) => {
  const before = BigInt(idOf(await create()))
  const takenIds = Array.from({ length: 20 }, (_, index) => String(before + BigInt(index + 1)))
  for (const id of takenIds)
    await service.sql`insert into pets (id, name, category_id) values (${id}, 'Max', 1)`
  const created = await Promise.all(Array.from({ length: 5 }, create))
  expect(created.map(({ status }) => status)).toEqual([201, 201, 201, 201, 201])
  const ids = created.map((response) => BigInt(idOf(response)))
  expect(new Set(ids).size).toBe(5)
  for (const id of ids) expect(id).toBeGreaterThan(before + 20n)
  expect(await service.sql`select from pets where id = any(${takenIds}) and name = 'Max'`).toHaveLength(20)
})

// Citus allows no triggers on distributed tables.
describe.skipIf(process.env.TEST_DATABASE === 'citus')('while more ids are taken after each try', () => {
  /** As if other servers took the next ids meanwhile: so many creations fail, although the sequence has been moved. */
  const takeIds = async (times: number) => {
    await service.sql.unsafe(`
      create or replace function take_id() returns trigger language plpgsql as $$ begin
        if nextval('tries') <= ${times} then raise unique_violation; end if;
        return new;
      end $$`)
    await service.sql`alter sequence tries restart`
  }
  beforeAll(async () => {
    await service.sql`create sequence tries`
    await takeIds(0)
    await service.sql`create trigger take_id before insert on pets for each row execute function take_id()`
  })
  afterAll(async () => {
    await service.sql`drop trigger take_id on pets`
    await service.sql`drop function take_id`
    await service.sql`drop sequence tries`
  })
  const create = () => service.client.createPet({ name: 'Rex', categoryId: 1 })

  it('a creation tries again', async () => {
    await takeIds(2)
    expect((await create()).status).toBe(201)
  })

  it('a client may try again', async () => {
    await takeIds(100)
    expect(await create()).toMatchObject({ status: 503, json: { code: 'DATABASE_UNAVAILABLE' } })
    expect(service.log.at(-1)).toMatchObject({ cause: '23505: the next ids are taken' })
  })
})
