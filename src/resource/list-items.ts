/** The items of a list, and their number. */
import { readArray, type TextRow } from '../db/postgres/statement.ts'
import { createBatch } from '../db/postgres/batch.ts'
import type { Session } from '../db/session.ts'
import type { ListSource } from './conditions.ts'
import { createCounter, createCounterByValue, requireEnumeration } from './counts.ts'
import type { FilterOf, ListDescription } from './list.ts'
import { type BatchedPage, createPlanner, type ListRange, type PagePlan, selectPages } from './page-plan.ts'
import { MAX_BATCHED_TEXT_BYTES } from './page-sql.ts'
import { type Item, isText, type Listed, type Resource, textBytesOf } from './resource.ts'

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
  const onPostgres = createListSql({ resource, list, isDistributed: false })
  const onCitus = createListSql({ resource, list, isDistributed: true })
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

function createListSql(source: ListSource) {
  return {
    plan: createPlanner(source),
    count: createCounter(source),
    countBy: createCounterByValue(source),
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
