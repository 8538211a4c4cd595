/** Checks with EXPLAIN on a large table how much Postgres reads for a page. */
import { beforeAll, expect, it } from 'vitest'
import type { Statement } from '../../../src/db/postgres/statement.ts'
import {
  type PetFilter,
  type PetOrder,
  type PetPage,
  petOrders,
  recordPages,
} from '../../support/pet-pages.ts'
import { useService } from '../../support/service.ts'

const service = useService()

// The first half of the pets is sold and in category 1, so most matches come after many other pets.
const total = 200_000
const middle = total / 2

let version: number
beforeAll(async () => {
  const [server] = await service.sql<{ version: string }[]>`
    select current_setting('server_version_num') as version`
  version = Number(server?.version) / 10_000
  // Disables the triggers that send events.
  await service.sql.unsafe('set session_replication_role = replica')
  await service.sql.unsafe('truncate pets restart identity')
  await service.sql.unsafe(`
    insert into pets (name, category_id, status)
    select case when i % 10 = 0 then 'Rex' else md5(i::text) end,
      case when i < ${middle} then 1 else i % 100 end,
      (case when i < ${middle} then '{sold}' else '{available,pending,sold,NULL}' end::pet_status[])[
        case when i < ${middle} then 1 else 1 + i % 4 end]
    from generate_series(1, ${total}) as i`)
  await service.sql.unsafe('vacuum analyze pets')
  await service.sql.unsafe('set session_replication_role = origin')
})

interface PlanNode {
  'Node Type': string
  'Actual Rows': number
  'Actual Loops': number
  'Rows Removed by Filter'?: number
  'Rows Removed by Index Recheck'?: number
  'Shared Hit Blocks': number
  'Shared Read Blocks': number
  Plans?: PlanNode[]
}

/** The rows read from the table, including those that do not match. */
function countRead(node: PlanNode): number {
  const here = /^(Seq|Index|Index Only|Bitmap Heap) Scan$/.test(node['Node Type'])
  const rows =
    node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Index Recheck'] ?? 0)
  return (
    (here ? rows * node['Actual Loops'] : 0) +
    (node.Plans ?? []).reduce((sum, plan) => sum + countRead(plan), 0)
  )
}

/** The plan for these values and, if the statement is prepared, the generic plan. */
async function explain({ text, parameters, prepare }: Statement): Promise<PlanNode[]> {
  const explained = `explain (analyze, buffers, timing off, summary off, format json)`
  const session = await service.sql.reserve()
  const run = async (statement: string, values: readonly (string | null)[] = []) => {
    // With a name, since on the embedded database, a statement of the server may come between this one's messages.
    const options = { prepare: values.length > 0 }
    const [row] = await session.unsafe<{ 'QUERY PLAN': [{ Plan: PlanNode }] }[]>(
      statement,
      [...values],
      options,
    )
    return row ? [row['QUERY PLAN'][0].Plan] : []
  }
  try {
    const plans = await run(`${explained} ${text}`, parameters)
    if (!prepare) return plans
    await run('set plan_cache_mode = force_generic_plan')
    await run(`prepare page as ${text}`)
    const values = parameters.map((value) => (value === null ? 'null' : `'${value.replaceAll("'", "''")}'`))
    const prepared = await run(`${explained} execute page(${values.join(', ')})`)
    await run('deallocate page')
    await run('reset plan_cache_mode')
    return [...plans, ...prepared]
  } finally {
    session.release()
  }
}

const LIMIT = 20

/** In each direction, from the start and after positions in the first half of the pets, in the middle, and in the second half. */
function pagesOf(field: PetOrder['field'], filter: PetFilter): [title: string, page: Partial<PetPage>][] {
  const keys = { ID: [null, null, null], NAME: ['8', 'rex', '8'] }[field]
  return petOrders
    .filter((order) => order.field === field)
    .flatMap((order) => [
      [`${order.direction} from the start`, { filter, order, limit: LIMIT }] as [string, Partial<PetPage>],
      ...keys.map((sortKey, index): [string, Partial<PetPage>] => {
        const after = { id: String((middle / 2) * (index + 1)), sortKey }
        return [`${order.direction} after ${after.id}`, { filter, order, after, limit: LIMIT }]
      }),
    ])
}

const indexed: [title: string, field: PetOrder['field'], filter: PetFilter][] = [
  ['all by id', 'ID', {}],
  ['all by name', 'NAME', {}],
  ['a rare status', 'ID', { status: ['available'] }],
  ['a common status', 'ID', { status: ['sold'] }],
  ['a rare category', 'ID', { categoryId: ['8'] }],
  ['a common category', 'ID', { categoryId: ['1'] }],
  ['a category that no pet has', 'ID', { categoryId: ['404'] }],
]

const numbersFrom = (first: number) => Array.from({ length: 50 }, (_, index) => String(first + index))
const severalValues: [title: string, field: PetOrder['field'], filter: PetFilter][] = [
  ['a common and two rare statuses', 'ID', { status: ['sold', 'available', 'pending'] }],
  ['rare and absent categories', 'ID', { categoryId: ['8', '9', '404'] }],
  ['fifty categories', 'ID', { categoryId: numbersFrom(1) }],
  ['fifty categories that no pet has', 'ID', { categoryId: numbersFrom(1_001) }],
]

it.each([...indexed, ...severalValues])(
  'a page of one index is prepared, and reads hardly more of each value than it returns: %s',
  async (_, field, filter) => {
    const [first] = Object.values(filter)
    const values = Array.isArray(first) ? first.length : 1
    for (const [title, page] of pagesOf(field, filter)) {
      const [statement] = await recordPages([page, page])
      expect(statement.prepare).toBe(true)
      for (const plan of await explain(statement)) {
        expect(countRead(plan), `${title} ${JSON.stringify(plan, null, 1)}`).toBeLessThanOrEqual(
          2 * 2 * LIMIT * values,
        )
        // Before version 18, Postgres reads past the end of a range of two columns.
        if (version >= 18)
          expect(plan['Shared Hit Blocks'] + plan['Shared Read Blocks']).toBeLessThanOrEqual(
            2 * (2 * LIMIT + 6) * values,
          )
      }
    }
  },
)

it.each(indexed.filter(([, field]) => field === 'ID'))(
  'a page of one index between two positions reads hardly more than it returns: %s',
  async (_, field, filter) => {
    const [first, second, third, last] = [1, middle, (middle * 3) / 2, total].map((id) => ({
      id: String(id),
      sortKey: null,
    }))
    const orders = petOrders.filter((order) => order.field === field)
    for (const ends of [
      [first, second],
      [first, third],
      [first, last],
      [second, third],
      [second, last],
    ]) {
      for (const order of orders) {
        const [after, before] = order.direction === 'ASC' ? ends : ends.toReversed()
        const [statement] = await recordPages([{ filter, order, after, before, limit: LIMIT }])
        for (const plan of await explain(statement))
          expect(countRead(plan), JSON.stringify([order, ends, plan], null, 1)).toBeLessThanOrEqual(2 * LIMIT)
      }
    }
  },
)

it.each([
  ['8', '80', '88', '8f'],
  ['r', 'rex', 'rex', 'rex'],
  ['zzz', 'zzza', 'zzzb', 'zzzc'],
])('a page of a prefix by name reads hardly more than it returns: %s', async (namePrefix, ...sortKeys) => {
  const [start, , end] = sortKeys.map((sortKey, index) => ({
    id: String((middle / 2) * (index + 1)),
    sortKey,
  }))
  for (const order of petOrders.filter(({ field }) => field === 'NAME')) {
    const [first, last] = order.direction === 'ASC' ? [start, end] : [end, start]
    for (const bounds of [{}, { after: first }, { before: last }, { after: first, before: last }]) {
      const [statement] = await recordPages([{ filter: { namePrefix }, order, ...bounds, limit: LIMIT }])
      for (const plan of await explain(statement))
        expect(countRead(plan), JSON.stringify([order, bounds, plan], null, 1)).toBeLessThanOrEqual(2 * LIMIT)
    }
  }
})

/** Filters that few pets match. With any number of them, Postgres might search all pets in the order of the list. */
const rare: PetFilter[] = [
  { categoryId: ['8'] },
  { categoryId: ['8', '9', '10'] },
  { categoryId: ['8'], status: ['sold', 'pending'] },
  { categoryId: ['404'] },
  { categoryId: ['404', '405'], status: ['sold', 'pending'] },
  { categoryId: ['8'], status: ['sold'], namePrefix: 're' },
  { status: ['sold'], namePrefix: 'zzz' },
  { categoryId: numbersFrom(1_001) },
  { categoryId: numbersFrom(1_001), status: ['sold'] },
]
const mixes = (['ID', 'NAME'] as const).flatMap((field) => rare.map((filter) => [field, filter] as const))

it.each(mixes)(
  'any other page is planned for its values, and reads few pets if few match: by %s, %j',
  async (field, filter) => {
    for (const [title, page] of pagesOf(field, filter)) {
      const [statement] = await recordPages([page])
      if (statement.prepare) continue
      const [plan] = await explain(statement)
      expect(plan && countRead(plan), `${title} ${JSON.stringify(plan, null, 1)}`).toBeLessThanOrEqual(
        total / 20,
      )
    }
  },
)
