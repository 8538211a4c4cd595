/** The items of a list, and their number. */
import { createBatch } from '../db/postgres/batch.ts'
import { readArray, type TextRow } from '../db/postgres/statement.ts'
import type { RequestData } from '../db/request-data.ts'
import { inBothDialects } from './dialect.ts'
import type { FilterOf, ListDescription } from './list-declaration.ts'
import { createCounter, requireEnumeration } from './list-counts.ts'
import {
  type BatchedPage,
  createPlanner,
  type ListRange,
  MAX_BATCHED_TEXT_BYTES,
  type PagePlan,
  selectPages,
} from './list-pages.ts'
import { type Item, isText, type Listed, type Resource } from './resource.ts'

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
  const source = { resource, list }
  const sqlOf = inBothDialects(resource, (dialect) => ({
    plan: createPlanner(source, dialect),
    count: createCounter(source, dialect),
    returnsRows: dialect.returnsRows,
  }))
  const sqlFor = ({ database }: RequestData) => sqlOf(database)
  return {
    resource,
    list,
    /** The items of a range, in list order, no matter which end they are counted from. */
    load: async (
      requestData: RequestData,
      range: ListRange<Filter, keyof Description['orders'] & string>,
    ): Promise<Listed<One>[]> => {
      const { plan: planPage, returnsRows } = sqlFor(requestData)
      const plan = planPage(range)
      if (plan === null) return []
      const listed = returnsRows
        ? await loadRows(requestData, plan, resource)
        : resource.readColumns((await loadPage(requestData, plan, resource)).slice(1).map(readArray))
      return range.from === 'start' ? listed : listed.reverse()
    },
    /** The number of items that match a filter. */
    count: async (requestData: RequestData, filter: Filter): Promise<number> => {
      const [[total] = []] = await requestData.query(sqlFor(requestData).count(filter))
      return Number(total)
    },
    /** The same for each value of an enumeration, in its order, and last for null. @param name the filter by that enumeration */
    countBy: async <Name extends keyof Filter & string>(
      requestData: RequestData,
      name: Name,
      filter: Filter,
    ): Promise<ValueCount<MemberOf<Name>>[]> => {
      const rows = await requestData.query(sqlFor(requestData).count(filter, name))
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
  requestData: RequestData,
  { batched, single }: PagePlan,
  resource: Resource,
): Promise<TextRow> {
  const [page = []] = batched
    ? [await loadBatched(requestData.target, batched)]
    : await requestData.query(single())
  return batched && hasCutTexts(page, resource) ? ((await requestData.query(single()))[0] ?? []) : page
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

/** A page with one row per item. */
async function loadRows<One extends Item>(
  requestData: RequestData,
  { single }: PagePlan,
  resource: Resource<One>,
): Promise<Listed<One>[]> {
  const rows = await requestData.query(single())
  const listed = rows.map((row) => ({
    ...resource.readRow(row),
    sortKey: row[resource.fields.length] ?? null,
  }))
  return listed
}
