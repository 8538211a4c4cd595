/** Rows that no server has created, such as those of a logical replication, may have ids that the sequence has not reached. */
import { expect, it } from 'vitest'
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
