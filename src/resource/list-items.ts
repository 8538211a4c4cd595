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
import { conditionsOf, type ListSource, parameterOf, toCondition, type Values } from './conditions.ts'
import type { FilterOf, ListDescription } from './list.ts'
import {
  type BatchedPage,
  createPlanner,
  type ListRange,
  MAX_BATCHED_TEXT_BYTES,
  type PagePlan,
  selectPages,
} from './pages.ts'
import { type Item, isText, type Listed, type Resource, statementName, textBytesOf } from './resource.ts'

export interface List<One extends Item, Description extends ListDescription> {
  resource: Resource<One>
  list: Description
  /** The items of a range, in list order, no matter which end they are counted from. */
  load: (
    session: Session,
    range: ListRange<FilterOf<Description>, keyof Description['orders'] & string>,
  ) => Promise<Listed<One>[]>
  /** The number of items that match a filter. */
  count: (session: Session, filter: FilterOf<Description>) => Promise<number>
  /**
   * The same for each value of an enumeration, in its order, and last for null.
   * @param name of the filter that compares it
   */
  countBy: <Name extends keyof Description['filters'] & string>(
    session: Session,
    name: Name,
    filter: FilterOf<Description>,
  ) => Promise<ValueCount<MemberOf<Description, Name>>[]>
}

/** How many items have a value; null: none. */
export interface ValueCount<Member> {
  value: Member | null
  count: number
}

/** A value of a filter that takes several. */
type MemberOf<
  Description extends ListDescription,
  Name extends keyof Description['filters'],
> = FilterOf<Description>[Name] extends readonly (infer Member)[] | undefined ? Member : never

export function createList<One extends Item, Description extends ListDescription>(
  resource: Resource<One>,
  list: Description,
): List<One, Description> {
  const createSql = (isDistributed: boolean) => {
    const source = { resource, list, isDistributed }
    return {
      plan: createPlanner(source),
      count: createCounter(source),
      countBy: createCounterByValue(source),
    }
  }
  const [onPostgres, onCitus] = [createSql(false), createSql(true)]
  const sqlFor = ({ database }: Session) => (database.isDistributed ? onCitus : onPostgres)
  return {
    resource,
    list,
    async load(session, range) {
      const plan = sqlFor(session).plan(range)
      if (plan === null) return []
      const listed = session.database.isDistributed
        ? await loadRows(session, plan, resource)
        : resource.readColumns((await loadPage(session, plan, resource)).slice(1).map(readArray))
      return range.from === 'start' ? listed : listed.reverse()
    },
    async count(session, filter) {
      const [[total] = []] = await session.query(sqlFor(session).count(filter))
      return Number(total)
    },
    async countBy(session, name, filter) {
      const rows = await session.query(sqlFor(session).countBy(name, filter))
      const counts = new Map(rows.map(([value, count]) => [value, Number(count)]))
      const values = [...requireEnumeration(list, name).enumValues, null]
      // The values of the column are those that the filter takes.
      return values.map((value) => ({
        value: value as MemberOf<Description, typeof name>,
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

/** Counts the rows that match a filter. @returns a function of the filter */
function createCounter(source: ListSource): (filter: FilterOf<ListDescription>) => Statement {
  const { resource, list } = source
  const templateOf = buildOnce(
    (conditions: readonly string[]) => conditions.join(),
    (conditions) => {
      const query = sql`select count(*) from ${resource.table}${whereAll(source, conditions)}`
      // The best plan depends on the values.
      return buildStatement<string>(statementName('count', resource.words.many), query, { prepare: false })
    },
  )
  return (filter) => {
    const values = toConditions(list, filter)
    return templateOf(Object.keys(values)).with(values)
  }
}

/**
 * Counts the rows that match a filter, for each value of an enumeration. On Postgres, each value is a range of an index that begins
 * with it: grouped rows would be read from an index that does not have the value, or from all of one that begins with it. Citus sends
 * only groups to the shards.
 * @returns a function of the filter's name and the filter, whose statement returns rows of a value and a number; without those of no row on Citus
 */
export function createCounterByValue(
  source: ListSource,
): (name: string, filter: FilterOf<ListDescription>) => Statement {
  const { resource, list, isDistributed } = source
  const { table, words } = resource
  const templateOf = buildOnce(
    ({ name, conditions }: { name: string; conditions: readonly string[] }) => [name, ...conditions].join(),
    ({ name, conditions }) => {
      const { column, enumValues } = requireEnumeration(list, name)
      const value = (index: number) => parameter(`${VALUE}${index}`, column.getSQLType())
      const countWhere = (isValue: SQL, shown: SQL) =>
        sql`select ${shown}, count(*) from ${table}${whereAll(source, conditions, isValue)}`
      const query = isDistributed
        ? sql`select ${column}, count(*) from ${table}${whereAll(source, conditions)} group by ${column}`
        : sql.join(
            [
              ...enumValues.map((_, index) => countWhere(sql`${column} = ${value(index)}`, value(index))),
              countWhere(sql`${column} is null`, sql`null`),
            ],
            sql` union all `,
          )
      return buildStatement<string>(`${statementName('count', words.many)}By`, query, { prepare: false })
    },
  )
  return (name, filter) => {
    const values = toConditions(list, filter)
    const conditions = Object.keys(values)
    requireEnumeration(list, name).enumValues.forEach((value, index) => {
      values[`${VALUE}${index}`] = value
    })
    return templateOf({ name, conditions }).with(values)
  }
}

/** What the names of the parameters for the values of an enumeration begin with. */
const VALUE = 'value.'

/** The column that a filter compares, and the values that it may have. */
function requireEnumeration(list: ListDescription, name: string) {
  const use = list.filters[name]?.use
  const enumValues = use?.kind === 'anyOf' && use.column.enumValues
  if (!enumValues) throw new Error(`${name} does not filter by an enumeration`)
  return { column: use.column, enumValues }
}

function toConditions(list: ListDescription, filter: FilterOf<ListDescription>): Values {
  const values: Values = {}
  for (const [name, described] of Object.entries(list.filters)) {
    const value = filter[name]
    if (value !== undefined)
      Object.assign(values, toCondition(name, described.use, described.toParameters(value)))
  }
  return values
}

function whereAll(source: ListSource, conditions: readonly string[], further?: SQL): SQL {
  const where = and(further, ...conditionsOf(source, conditions, parameterOf(source.list)))
  return where ? sql` where ${where}` : sql``
}
