/** The SQL of a page, built with Drizzle. */
import { and, type Column, type SQL, sql } from 'drizzle-orm'
import { nameKeyOf } from './name-key.ts'
import { nameOf, PET_COLUMNS } from './pet.ts'
import { MAX_ROWS } from './pet-range.ts'
import { parameter } from '../db/postgres/statement.ts'
import { pets, petStatus } from '../db/tables.ts'

/** The kind of bound of an index range: none, a name key, or a pet, which is not in the range (`position`) or is (`included`). */
export type Bound = 'open' | 'key' | 'position' | 'included'

/** Everything that the text of a page depends on. */
export interface PageShape {
  /**
   * `joined`: several pages, each with its own values; `merged`: one page over several combinations of a status and a category;
   * `alone`: one page.
   */
  form: 'joined' | 'merged' | 'alone'
  byName: boolean
  scan: 'asc' | 'desc'
  hasStatus: boolean
  hasCategory: boolean
  low: Bound
  high: Bound
  /** In a list by id: the condition on the name key, which no index serves. */
  nameCondition: 'none' | 'from' | 'between'
}

const TYPES = {
  limit: 'int',
  status: petStatus.enumName,
  categoryId: 'bigint',
  lowKey: 'text',
  lowId: 'bigint',
  highKey: 'text',
  highId: 'bigint',
}
/** The values of a page. `joined` takes an array of each; `merged` takes arrays of status and categoryId. */
export type ValueName = keyof typeof TYPES

/** The SQL for one of a page's values. */
type Source = (name: ValueName) => SQL

export const fromParameter: Source = (name) => parameter(name, TYPES[name])
const NAME_KEY = nameKeyOf(pets.name)

/** The maximum number of bytes of a name in a statement for several pages; a page with a longer name gets its own statement. */
export const MAX_JOINED_NAME = 8_192

/**
 * A page's rows: the bytes of all names, then one array per column of PET_COLUMNS and, in a list by name, one of the name keys. Arrays
 * are cheap to write and to read.
 */
export function buildPage(shape: PageShape): SQL {
  if (shape.form === 'joined') return joinPages(shape)
  return toArrays(shape, shape.form === 'merged' ? mergeRanges(shape) : limitRange(shape, fromParameter))
}

/**
 * Several pages, one row each, whose last column is the number of the page, from 1. Postgres runs it as a nested loop, which keeps
 * the order of each page's rows.
 */
function joinPages(shape: PageShape): SQL {
  const request = tableOf('request', valuesOf(shape))
  return sql`
    select page.*, number from ${request.arrays} with ordinality as request (${request.columns}, number)
    cross join lateral (${toArrays(shape, limitRange(shape, request.source))}) as page`
}

/** One page over several combinations of a status and a category: the first rows of each, then sorted. */
function mergeRanges(shape: PageShape): SQL {
  const combination = tableOf('combination', filterValues(shape))
  const direction = sql.raw(shape.scan)
  return sql`
    select matching.* from ${combination.arrays} as combination (${combination.columns})
    cross join lateral (${limitRange(shape, combination.source)}) as matching
    order by ${shape.byName ? sql`name_key collate "C" ${direction}, ` : sql``}${nameOf(pets.id)} ${direction}
    limit ${fromParameter('limit')}`
}

/** A table of array parameters, one column for each of the given values; other values are plain parameters. */
function tableOf(alias: string, names: readonly ValueName[]): { arrays: SQL; columns: SQL; source: Source } {
  return {
    arrays: sql`unnest(${list(names.map((name) => parameter(name, `${TYPES[name]}[]`)))})`,
    columns: list(names.map((name) => sql`${sql.identifier(name)}`)),
    source: (name) =>
      names.includes(name) ? sql`${sql.identifier(alias)}.${sql.identifier(name)}` : fromParameter(name),
  }
}

function filterValues({ hasStatus, hasCategory }: Pick<PageShape, 'hasStatus' | 'hasCategory'>): ValueName[] {
  return [...(hasStatus ? (['status'] as const) : []), ...(hasCategory ? (['categoryId'] as const) : [])]
}

/** The names of the values that a page of this shape takes. */
function valuesOf(shape: PageShape): ValueName[] {
  const { byName, low, high } = shape
  return [
    'limit',
    ...filterValues(shape),
    ...(byName && low !== 'open' ? (['lowKey'] as const) : []),
    ...(hasId(low) ? (['lowId'] as const) : []),
    ...(byName && high !== 'open' ? (['highKey'] as const) : []),
    ...(hasId(high) ? (['highId'] as const) : []),
  ]
}

function hasId(bound: Bound): boolean {
  return bound === 'position' || bound === 'included'
}

function toArrays({ byName, form }: PageShape, rows: SQL): SQL {
  const bytes = sql`octet_length(${nameOf(pets.name)})`
  const limit = sql.raw(String(MAX_JOINED_NAME))
  const name =
    form === 'joined' ? sql`case when ${bytes} <= ${limit} then ${nameOf(pets.name)} end` : nameOf(pets.name)
  const columns = [nameOf(pets.id), name, nameOf(pets.categoryId), nameOf(pets.status)]
  const arrays = [...columns, ...(byName ? [sql`name_key`] : [])].map((column) => sql`array_agg(${column})`)
  return sql`select sum(${bytes}), ${list(arrays)} from (${rows}) as page`
}

/**
 * The first rows of an index range. The constant limit tells the planner that they are few: it assumes that an unknown limit
 * returns a tenth of the table.
 */
function limitRange(shape: PageShape, source: Source): SQL {
  return sql`select * from (${selectRange(shape, source)} limit ${sql.raw(String(MAX_ROWS))}) as range limit ${source('limit')}`
}

/**
 * All rows of an index range, in order. Its bounds are rows that begin with the filter's values, `(status, id) > ('sold', 7)`: with
 * `status = 'sold' and id > 7` Postgres may choose another index and skip most of the table row by row. (Before PostgreSQL 18, the
 * scan of such a range reads past its end.)
 * @param options nameKey: instead of the expression; filter: a further condition
 */
export function selectRange(
  shape: Omit<PageShape, 'form'>,
  source: Source,
  { nameKey = NAME_KEY, filter }: { nameKey?: SQL; filter?: SQL | undefined } = {},
): SQL {
  const { hasStatus, hasCategory, byName, low, high, nameCondition, scan } = shape
  const columns = [
    ...(hasStatus ? [pets.status] : []),
    ...(hasCategory ? [pets.categoryId] : []),
    ...(byName ? [nameKey] : []),
    pets.id,
  ]
  const compare = (operator: string, kind: Bound, key: ValueName, id: ValueName): SQL | undefined => {
    const end: ValueName[] = [...(byName && kind !== 'open' ? [key] : []), ...(hasId(kind) ? [id] : [])]
    const row = [...filterValues(shape), ...end].map(source)
    if (row.length === 0) return undefined
    return sql`(${list(columns.slice(0, row.length))}) ${sql.raw(operator)} (${list(row)})`
  }
  const where = and(
    filter,
    compare(low === 'position' ? '>' : '>=', low, 'lowKey', 'lowId'),
    compare(high === 'open' || high === 'included' ? '<=' : '<', high, 'highKey', 'highId'),
    nameCondition === 'none' ? undefined : sql`${nameKey} >= ${source('lowKey')}`,
    nameCondition === 'between' ? sql`${nameKey} < ${source('highKey')}` : undefined,
  )
  const orderBy = list(columns.map((column) => sql`${column} ${sql.raw(scan)}`))
  const key = byName ? sql`, ${nameKey} as name_key` : sql``
  return sql`select ${PET_COLUMNS}${key} from ${pets}${where ? sql` where ${where}` : sql``} order by ${orderBy}`
}

function list(parts: readonly (SQL | Column)[]): SQL {
  return sql.join([...parts], sql`, `)
}
