/** The items of a list, and their number. */
import { readArray } from '../db/postgres/arrays.ts'
import { createBatch } from '../db/postgres/batch.ts'
import type { TextRow } from '../db/postgres/statement.ts'
import type { Session } from '../db/session.ts'
import type { FilterOf, ListDescription } from './list.ts'
import {
  createCounter,
  createPlanner,
  createPlannerOnCitus,
  joinPages,
  type JoinablePage,
  type ListRange,
  type ListSource,
  MAX_BATCHED_TEXT,
  type PagePlan,
} from './page-plan.ts'
import { type Item, isText, type Listed, type Resource, textBytesOf } from './resource.ts'

export interface List<One extends Item, Description extends ListDescription> extends ListSource<
  One,
  Description
> {
  /** The items of a range, in list order, no matter which end they are counted from. */
  load: (
    session: Session,
    range: ListRange<FilterOf<Description>, keyof Description['orders'] & string>,
  ) => Promise<Listed<One>[]>
  /** The number of items that match a filter. */
  count: (session: Session, filter: FilterOf<Description>) => Promise<number>
}

export function createList<One extends Item, Description extends ListDescription>(
  resource: Resource<One>,
  list: Description,
): List<One, Description> {
  const source = { resource, list }
  const onPostgres = { plan: createPlanner(source), count: createCounter(source, 'expression') }
  const onCitus = { plan: createPlannerOnCitus(source), count: createCounter(source, 'stored') }
  const sqlFor = ({ database }: Session) => (database.isDistributed ? onCitus : onPostgres)
  return {
    resource,
    list,
    async load(session, range) {
      const plan = sqlFor(session).plan(range)
      if (plan === null) return []
      const listed = plan.rowPerItem
        ? await loadRows(session, plan, resource)
        : resource.readColumns((await loadPage(session, plan, resource)).slice(1).map(readArray))
      return range.from === 'start' ? listed : listed.reverse()
    },
    async count(session, filter) {
      const [[total] = []] = await session.query(sqlFor(session).count(filter))
      return Number(total)
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
    Number(bytes) > MAX_BATCHED_TEXT &&
    fields.some((field, index) => isText(field) && readArray(columns[index]).includes(null))
  )
}

const loadBatched = createBatch<JoinablePage, TextRow | undefined>(
  async (database, pages) => {
    const rows = await database.query(joinPages(pages), { callers: pages.length })
    const found = new Map(rows.map((row) => [row.pop(), row]))
    return pages.map((_, index) => found.get(String(index + 1)))
  },
  { maximum: 16, keyOf: ({ template }) => template },
)

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
