/** The items of a list, and their number. */
import { and, type SQL, sql } from 'drizzle-orm'
import { createBatch } from '../db/postgres/batch.ts'
import {
  buildOnce,
  buildStatement,
  parameter,
  readArray,
  type Statement,
  type TextRow,
} from '../db/postgres/statement.ts'
import type { Session } from '../db/session.ts'
import {
  conditionsOf,
  type FilterOf,
  type ListDescription,
  type ListSource,
  parameterOf,
  toCondition,
  type Values,
} from './list.ts'
import {
  type BatchedPage,
  createPlanner,
  type ListRange,
  MAX_BATCHED_TEXT_BYTES,
  type PagePlan,
  selectPages,
} from './pages.ts'
import { type Item, isText, type Listed, type Resource, statementName, textBytesOf } from './resource.ts'

export type List<One extends Item, Description extends ListDescription> = ReturnType<
  typeof createList<One, Description>
>

/** How many items have a value; null: none. */
export interface ValueCount<Member> {
  value: Member | null
  count: number
}

export function createList<One extends Item, Description extends ListDescription>(
  resource: Resource<One>,
  list: Description,
) {
  type Filter = FilterOf<Description>
  type MemberOf<Name extends keyof Filter> = Filter[Name] extends readonly (infer Member)[] | undefined
    ? Member
    : never
  const createSql = (isDistributed: boolean) => {
    const source = { resource, list, isDistributed }
    return { plan: createPlanner(source), count: createCounter(source) }
  }
  const [onPostgres, onCitus] = [createSql(false), createSql(true)]
  const sqlFor = ({ database }: Session) => (database.isDistributed ? onCitus : onPostgres)
  return {
    resource,
    list,
    /** The items of a range, in list order, no matter which end they are counted from. */
    load: async (
      session: Session,
      range: ListRange<Filter, keyof Description['orders'] & string>,
    ): Promise<Listed<One>[]> => {
      const plan = sqlFor(session).plan(range)
      if (plan === null) return []
      const listed = session.database.isDistributed
        ? await loadRows(session, plan, resource)
        : resource.readColumns((await loadPage(session, plan, resource)).slice(1).map(readArray))
      return range.from === 'start' ? listed : listed.reverse()
    },
    /** The number of items that match a filter. */
    count: async (session: Session, filter: Filter): Promise<number> => {
      const [[total] = []] = await session.query(sqlFor(session).count(filter))
      return Number(total)
    },
    /** The same for each value of an enumeration, in its order, and last for null. @param name of the filter that compares it */
    countBy: async <Name extends keyof Filter & string>(
      session: Session,
      name: Name,
      filter: Filter,
    ): Promise<ValueCount<MemberOf<Name>>[]> => {
      const rows = await session.query(sqlFor(session).count(filter, name))
      const counts = new Map(rows.map(([value, count]) => [value, Number(count)]))
      // The values of the column are those that the filter takes.
      return [...requireEnumeration(list, name).enumValues, null].map((value) => ({
        value: value as MemberOf<Name>,
        count: counts.get(value) ?? 0,
      }))
    },
  }
}

async function loadPage(
  session: Session,
  { batched, single }: PagePlan,
  resource: Resource,
): Promise<TextRow> {
  const [page = []] = batched
    ? [await loadBatched(session.queryable, batched)]
    : await session.query(single())
  session.memory.holdData(Number(page[0] ?? 0))
  return batched && hasCutTexts(page, resource) ? ((await session.query(single()))[0] ?? []) : page
}

/** Whether a text may have been too long for a statement that loads several pages. */
function hasCutTexts([bytes, ...columns]: TextRow, { fields }: Resource): boolean {
  return (
    Number(bytes) > MAX_BATCHED_TEXT_BYTES &&
    fields.some((field, index) => isText(field) && readArray(columns[index]).includes(null))
  )
}

const loadBatched = createBatch<BatchedPage, TextRow | undefined>(
  async (database, pages) => {
    const rows = await database.query(selectPages(pages), { callers: pages.length })
    const found = new Map(rows.map((row) => [row.pop(), row]))
    return pages.map((_, index) => found.get(String(index + 1)))
  },
  { maximum: 16, keyOf: ({ template }) => template },
)

/** On Citus, a page is a row for each item. */
async function loadRows<One extends Item>(
  session: Session,
  { single }: PagePlan,
  resource: Resource<One>,
): Promise<Listed<One>[]> {
  const rows = await session.query(single())
  const listed = rows.map((row) => ({
    ...resource.readRow(row),
    sortKey: row[resource.fields.length] ?? null,
  }))
  session.memory.holdData(listed.reduce((bytes, item) => bytes + textBytesOf(resource, item), 0))
  return listed
}

/**
 * Counts the rows that match a filter: all or, if the statement is given the name of a filter by an enumeration, for each value of
 * that (a row of the value and a number; on Citus, without values that no row has).
 */
export function createCounter(source: ListSource) {
  const { resource, list } = source
  const templateOf = buildOnce(
    ({ by, conditions }: { by: string | undefined; conditions: readonly string[] }) =>
      [by, ...conditions].join(),
    ({ by, conditions }) => {
      const name = statementName('count', resource.words.many)
      // The best plan depends on the values.
      const options = { prepare: false }
      return by === undefined
        ? buildStatement<string>(name, selectCounts(source, conditions), options)
        : buildStatement<string>(`${name}By`, selectCountsBy(source, by, conditions), options)
    },
  )
  return (filter: FilterOf<ListDescription>, by?: string): Statement => {
    const values: Values = {}
    for (const [name, { use }] of Object.entries(list.filters)) {
      const value = filter[name]
      if (value !== undefined) Object.assign(values, toCondition(name, use, value))
    }
    const conditions = Object.keys(values)
    if (by !== undefined)
      requireEnumeration(list, by).enumValues.forEach((value, index) => {
        values[`${VALUE}${index}`] = value
      })
    return templateOf({ by, conditions }).with(values)
  }
}

/**
 * On Postgres, each value is a range of an index that begins with it: grouped rows would be read from an index that does not have the
 * value, or from all of one that begins with it. Citus sends only groups to the shards.
 */
function selectCountsBy(source: ListSource, by: string, conditions: readonly string[]): SQL {
  const { column, enumValues } = requireEnumeration(source.list, by)
  if (source.isDistributed)
    return sql`${selectCounts(source, conditions, { shown: sql`${column}` })} group by ${column}`
  const valueCounts = enumValues.map((_, index) => {
    const value = parameter(`${VALUE}${index}`, column.getSQLType())
    return selectCounts(source, conditions, { shown: value, where: sql`${column} = ${value}` })
  })
  const nulls = selectCounts(source, conditions, { shown: sql`null`, where: sql`${column} is null` })
  return sql.join([...valueCounts, nulls], sql` union all `)
}

function selectCounts(
  source: ListSource,
  conditions: readonly string[],
  { shown, where }: { shown?: SQL; where?: SQL } = {},
): SQL {
  const all = and(where, ...conditionsOf(source, conditions, parameterOf(source.list)))
  return sql`select ${shown ? sql`${shown}, ` : sql``}count(*) from ${source.resource.table}${all ? sql` where ${all}` : sql``}`
}

/** What the names of the parameters for the values of an enumeration begin with. */
const VALUE = 'value.'

function requireEnumeration(list: ListDescription, name: string) {
  const use = list.filters[name]?.use
  const enumValues = use?.kind === 'anyOf' && use.column.enumValues
  if (!enumValues) throw new Error(`${name} does not filter by an enumeration`)
  return { column: use.column, enumValues }
}
