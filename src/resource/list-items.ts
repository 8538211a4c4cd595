/** Lists of a resource: the items of a range, and how many there are. */
import { and, count, sql } from 'drizzle-orm'
import type { Database } from '../db/database.ts'
import { requireValue } from '../db/postgres/statement.ts'
import type { RequestData } from '../db/request-data.ts'
import { createCitusPages } from './citus-pages.ts'
import type { FilterOf, ListCursor, ListDescription } from './list-declaration.ts'
import { createPages, type LoadPage, type PagesSource, whereGiven } from './list-pages.ts'
import { type Item, type Listed, type Resource } from './resource.ts'

export interface ListOrder<Name extends string = string> {
  /** The name of one of the list's orders. */
  field: Name
  direction: 'ASC' | 'DESC'
}

export interface ListRange<Filter = FilterOf<ListDescription>, OrderName extends string = string> {
  filter: Filter
  order: ListOrder<OrderName>
  /** Only items between these two, in list order. */
  after?: ListCursor | undefined
  before?: ListCursor | undefined
  /** At most one more than the largest page. */
  limit: number
  /** The end of the range that the limit counts from. */
  from: 'start' | 'end'
}

/** How many items have a value, or none (null). */
export interface ValueCount<Member> {
  value: Member | null
  count: number
}

export type List<One extends Item, Description extends ListDescription> = ReturnType<
  typeof createList<One, Description>
>

export function createList<One extends Item, Description extends ListDescription>(
  resource: Resource<One>,
  description: Description,
) {
  type Filter = FilterOf<Description>
  type Range = ListRange<Filter, keyof Description['orders'] & string>
  type MemberOf<Name extends keyof Filter> = Filter[Name] extends readonly (infer Member)[] | undefined
    ? Member
    : never
  const buildPages = (create: (source: PagesSource) => LoadPage) =>
    Object.fromEntries(
      Object.entries(description.orders).map(([name, sortKey]) => {
        const source = { resource, list: description, sortKey }
        return [name, { asc: create({ ...source, scan: 'asc' }), desc: create({ ...source, scan: 'desc' }) }]
      }),
    )
  const pages = buildPages(createPages)
  const citusPages = buildPages(createCitusPages)
  const pagesOf = ({ isDistributed }: Database) => (isDistributed ? citusPages : pages)

  return {
    resource,
    description,
    /** The items of a range, in list order, no matter which end they are counted from. */
    load: async (requestData: RequestData, range: Range): Promise<Listed<One>[]> => {
      const { filter, order, after, before, limit, from } = range
      const { fields, readRow } = resource
      const isForward = from === 'start'
      const scan = isForward === (order.direction === 'ASC') ? 'asc' : 'desc'
      const [start, end] = isForward ? [after, before] : [before, after]
      const load = requireValue(pagesOf(requestData.database)[order.field])[scan]
      const rows = await load(requestData, { filter, start, end, limit })
      const listed = rows.map((row) => ({ ...readRow(row), sortKey: row[fields.length] ?? null }))
      return isForward ? listed : listed.reverse()
    },
    /** The number of items that match a filter. */
    count: async ({ db }: RequestData, filter: Filter): Promise<number> => {
      const where = and(...whereGiven(description, filter))
      const [total] = await db.select({ count: count() }).from(resource.table).where(where)
      return requireValue(total).count
    },
    /**
     * The same for each value of an enumeration, in its order, then for those that only a later version knows, and last for null.
     * @param name the filter by that enumeration
     */
    countBy: async <Name extends keyof Filter & string>(
      { db }: RequestData,
      name: Name,
      filter: Filter,
    ): Promise<ValueCount<MemberOf<Name>>[]> => {
      const { column } = requireValue(description.filters[name])
      const rows = await db
        .select({ value: sql<string | null>`${column}`, count: count() })
        .from(resource.table)
        .where(and(...whereGiven(description, filter)))
        .groupBy(column)
      const found = new Map(rows.map(({ value, count }) => [value, count]))
      const known = column.enumValues ?? []
      const later = [...found.keys()].filter((value) => value != null && !known.includes(value)).sort()
      // The values of the column are those that the filter takes, but for those of a later version, which pass through.
      return [...known, ...later, null].map((value) => ({
        value: value as MemberOf<Name>,
        count: found.get(value) ?? 0,
      }))
    },
  }
}
