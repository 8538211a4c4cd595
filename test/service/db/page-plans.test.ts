/** Checks with EXPLAIN on a large table that Postgres reads hardly more for a page than it returns. */
import { beforeAll, expect, it } from 'vitest'
import type { Statement } from '../../../src/db/postgres/statement.ts'
import { selectPages, type ListCursor } from '../../../src/resource/pages.ts'
import { type PetFilter, type PetOrder, planPage } from '../../support/pet-range.ts'
import { useService } from '../../support/service.ts'

const service = useService()

// The first half of the pets is sold and in category 1, so most matches come after many other pets.
const total = process.env.TEST_DATABASE === 'postgres' ? 200_000 : 30_000
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
    const [row] = await session.unsafe<{ 'QUERY PLAN': [{ Plan: PlanNode }] }[]>(statement, [...values])
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

/** `ranges`: each combination of a status and a category is one index range. */
const filters: [name: string, filter: PetFilter, ranges: number][] = [
  ['no filter', {}, 1],
  ['a status', { status: ['available'] }, 1],
  ['a common status', { status: ['sold'] }, 1],
  ['two statuses', { status: ['available', 'pending'] }, 2],
  ['a category', { categoryId: ['7'] }, 1],
  ['a common category', { categoryId: ['1'] }, 1],
  ['three categories', { categoryId: ['1', '7', '8'] }, 3],
  ['a status and a category', { status: ['available'], categoryId: ['8'] }, 1],
  ['a common status and a common category', { status: ['sold'], categoryId: ['1'] }, 1],
  ['a status and a category that no pet has both', { status: ['available'], categoryId: ['1'] }, 1],
  ['statuses and categories', { status: ['available', 'sold'], categoryId: ['1', '4'] }, 4],
]
const prefixes: [name: string, filter: PetFilter, ranges: number][] = [
  ['a prefix', { namePrefix: 'abc' }, 1],
  ['a common prefix', { namePrefix: 'rex' }, 1],
  ['a status and a prefix', { status: ['available'], namePrefix: 're' }, 1],
  ['a status, a category and a prefix', { status: ['sold'], categoryId: ['1'], namePrefix: 'a' }, 1],
]
const byId: PetOrder[] = [
  { field: 'ID', direction: 'ASC' },
  { field: 'ID', direction: 'DESC' },
]
const byName: PetOrder[] = [
  { field: 'NAME', direction: 'ASC' },
  { field: 'NAME', direction: 'DESC' },
]

it.each([
  ...[...byId, ...byName].flatMap((order) => filters.map((filter) => ({ order, filter }))),
  ...byName.flatMap((order) => prefixes.map((filter) => ({ order, filter }))),
])(
  'a page reads hardly more than it returns: $filter.0, by $order.field $order.direction',
  async ({ order, filter: [, filter, ranges] }) => {
    const limit = 20
    const depths: (ListCursor | undefined)[] = [
      undefined,
      ...[middle / 2, middle, middle + middle / 2].map((id) => ({
        id: String(id),
        sortKey: order.field === 'NAME' ? (id === middle ? 'rex' : '8') : null,
      })),
    ]
    for (const after of depths) {
      const plan = planPage({ filter, order, after, limit, from: 'start' })
      if (!plan) throw new Error('There is no statement for a page')
      const alone = plan.single()
      expect(alone.prepare).toBe(!(filter.namePrefix && order.field === 'ID'))
      // One after the other: the embedded database has one session.
      const explained = [
        ...(await explain(alone)),
        ...(plan.batched ? await explain(selectPages([plan.batched])) : []),
      ]
      for (const plan of explained) {
        expect(countRead(plan), JSON.stringify(plan, null, 1)).toBeLessThanOrEqual(2 * limit * ranges)
        // Before version 18, Postgres reads past the end of an index range over two values.
        if (version < 18) continue
        // An index entry and a table row per row, plus the descent of the index.
        expect(plan['Shared Hit Blocks'] + plan['Shared Read Blocks']).toBeLessThanOrEqual(
          (2 * limit + 6) * ranges,
        )
      }
    }
  },
)
