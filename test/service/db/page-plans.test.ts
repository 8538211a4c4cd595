/** Checks with EXPLAIN on a large table that Postgres reads hardly more for a page than it returns. */
import { beforeAll, expect, it } from 'vitest'
import type { Statement } from '../../../src/db/postgres/statement.ts'
import { petList } from '../../../src/pets/pet-resource.ts'
import { selectPages, type ListCursor } from '../../../src/resource/list-pages.ts'
import { type PetFilter, type PetOrder, petOrders, planPage } from '../../support/pet-range.ts'
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

/** Values of a filter; `several` only if each of them is an index range of its own. */
type Samples<Value> = Record<'rare' | 'common', Value> & Partial<Record<'several', Value>>

/** Of each filter; null if no index serves it. */
const samples: { [Name in keyof Required<PetFilter>]: Samples<NonNullable<PetFilter[Name]>> | null } = {
  status: { rare: ['available'], common: ['sold'], several: ['available', 'sold'] },
  categoryId: { rare: ['8'], common: ['1'], several: ['1', '4', '7'] },
  namePrefix: { rare: 'abc', common: 're' },
}

/** Of each order, the sort keys of positions in the first half of the pets, in the middle, and in the second half. */
const sortKeys = {
  ID: [null, null, null],
  NAME: ['8', 'rex', '8'],
} satisfies Record<PetOrder['field'], (string | null)[]>

const { filters, orders } = petList.list
const filterNames = Object.keys(filters) as (keyof PetFilter)[]

interface Filtered {
  name: string
  filter: PetFilter
  ranges: number
}

/** Every subset of the filters that the indexes of an order serve, with each of their samples. */
function filtersOf(field: PetOrder['field']): Filtered[] {
  return filterNames.reduce<Filtered[]>(
    (found, name) => {
      const { use } = filters[name]
      const isServed = use.kind === 'anyOf' || (use.kind === 'prefix' && use.key === orders[field]?.key)
      if (!isServed) return found
      const sampled = samples[name]
      if (!sampled) throw new Error(`The filter ${name} has no samples`)
      const values = Object.entries<unknown>(sampled)
      return found.flatMap((before) => [
        before,
        ...values.map(([sample, value]) => ({
          name: `${before.name}, ${name} ${sample}`,
          filter: { ...before.filter, [name]: value },
          // Each combination of their values is an index range.
          ranges: before.ranges * (Array.isArray(value) ? value.length : 1),
        })),
      ])
    },
    [{ name: '', filter: {}, ranges: 1 }],
  )
}

const allCases = petOrders.flatMap((order) =>
  filtersOf(order.field).map(
    ({ name, ...filtered }) =>
      [`by ${order.field} ${order.direction}${name}`, { order, ...filtered }] as const,
  ),
)

// PostgreSQL explains all of them; a third of each order shows that the embedded database plans in the same way.
const cases =
  process.env.TEST_DATABASE === 'embedded' ? allCases.filter((_, index) => index % 3 === 0) : allCases

it.each(cases)('a page reads hardly more than it returns: %s', async (_, { order, filter, ranges }) => {
  const limit = 20
  const depths: (ListCursor | undefined)[] = [
    undefined,
    ...sortKeys[order.field].map((sortKey, index) => ({ id: String((middle / 2) * (index + 1)), sortKey })),
  ]
  for (const after of depths) {
    const plan = planPage({ filter, order, after, limit, from: 'start' })
    if (!plan) throw new Error('There is no statement for a page')
    const alone = plan.single()
    expect(alone.prepare).toBe(true)
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
})
