/** The SQL of a resource in the words that Citus does not understand, or runs slowly; see citus-dialect.ts. */
import { type SQL, sql } from 'drizzle-orm'
import { buildStatement, nameOf, parameter } from '../db/postgres/statement.ts'
import { claimKey } from './idempotency.ts'
import type { ListDescription } from './list-declaration.ts'
import { type ListSource, parameterOf, typeOf, type ValueSource } from './list-conditions.ts'
import { requireEnumeration, selectCounts, VALUE } from './list-counts.ts'
import {
  MAX_BATCHED_TEXT_BYTES,
  namesOfBound,
  PAGE_SIZE,
  type PageShape,
  selectRange,
  sortKeyOf,
} from './list-pages.ts'
import {
  arrayParametersOf,
  columnNamesOf,
  isText,
  join,
  nextIdOf,
  type Resource,
  statementName,
  toArrays,
} from './resource.ts'
import type { Insert } from './writes.ts'

/** Draws the ids first, and returns them in the order of the items. */
function createInsert(resource: Resource): Insert {
  const { words, table, fields, newFields, id } = resource
  const insert = buildStatement<string>(
    statementName('create', words.many),
    sql`
      with numbered as materialized (
        select number, ${nextIdOf(resource)} as ${nameOf(id.column)}, ${columnNamesOf(newFields)}
        from unnest(${arrayParametersOf(newFields)}) with ordinality as request (${columnNamesOf(newFields)}, number)
      ), created as (
        insert into ${table} (${columnNamesOf(fields)}) overriding system value select ${columnNamesOf(fields)} from numbered
      )
      select ${nameOf(id.column)} from numbered order by number`,
    { writes: true },
  )
  return (queryable, items) =>
    queryable.query(insert.with(toArrays(newFields, items)), { callers: items.length })
}

function update(resource: Resource, assignments: SQL, isItem: SQL): SQL {
  const { table, fields, keys } = resource
  return sql`update ${table} set ${assignments} where ${isItem} returning ${join([...fields.map(({ column }) => column), ...keys])}`
}

/**
 * The SQL of a page: one row with the bytes of all texts, then one array per column and, in a list with a sort key, one of the keys.
 * Arrays are cheap to write and to read. Several pages are a row each, whose last column is the number of the page, from 1.
 */
function page(source: ListSource, shape: PageShape): SQL {
  const valueOf = parameterOf(source.list)
  if (shape.form === 'batched') return batchPages(source, shape)
  const rows = shape.form === 'merged' ? mergeRanges(source, shape) : limitRange(source, shape, valueOf)
  return gatherColumns(source, shape, rows)
}

/** Several pages. Postgres runs it as a nested loop, which keeps the order of each page's rows. */
function batchPages(source: ListSource, shape: PageShape): SQL {
  const { equal, low, high } = shape
  const hasKey = sortKeyOf(source.list, shape) !== undefined
  const bounds = [...namesOfBound('low', low, hasKey), ...namesOfBound('high', high, hasKey)]
  const request = unnestValues(source.list, 'request', ['limit', ...equal, ...bounds])
  return sql`
    select page.*, number from ${request.arrays} with ordinality as request (${request.columns}, number)
    cross join lateral (${gatherColumns(source, shape, limitRange(source, shape, request.valueOf))}) as page`
}

/** One page over several combinations of values: the first rows of each, then sorted. */
function mergeRanges(source: ListSource, shape: PageShape): SQL {
  const { list } = source
  const combination = unnestValues(list, 'combination', shape.equal)
  const direction = sql.raw(shape.scan)
  const key = sortKeyOf(list, shape)
  return sql`
    select matching.* from ${combination.arrays} as combination (${combination.columns})
    cross join lateral (${limitRange(source, shape, combination.valueOf)}) as matching
    order by ${key ? sql`${nameOf(key)} ${direction}, ` : sql``}${nameOf(list.id)} ${direction}
    limit ${parameter('limit', 'int')}`
}

/** A table of array parameters, one column for each of the given values; other values are plain parameters. */
function unnestValues(list: ListDescription, alias: string, names: readonly string[]) {
  return {
    arrays: sql`unnest(${join(names.map((name) => parameter(name, `${typeOf(list, name)}[]`)))})`,
    columns: join(names.map((name) => sql`${sql.identifier(name)}`)),
    valueOf: (name: string) =>
      names.includes(name) ? sql`${sql.identifier(alias)}.${sql.identifier(name)}` : parameterOf(list)(name),
  }
}

/** Rows as one array per column. If there are several pages, a text that is too long is null. */
function gatherColumns({ resource: { fields }, list }: ListSource, shape: PageShape, rows: SQL): SQL {
  const limit = sql.raw(String(MAX_BATCHED_TEXT_BYTES))
  const columns = fields.map((field) => {
    const name = nameOf(field.column)
    if (shape.form !== 'batched' || !isText(field)) return name
    return sql`case when octet_length(${name}) <= ${limit} then ${name} end`
  })
  const bytes = fields.filter(isText).map(({ column, isNullable }) => {
    const length = sql`octet_length(${nameOf(column)})`
    return isNullable ? sql`coalesce(${length}, 0)` : length
  })
  const key = sortKeyOf(list, shape)
  if (key) columns.push(nameOf(key))
  const arrays = join(columns.map((column) => sql`array_agg(${column})`))
  return sql`select sum(${bytes.length > 0 ? sql.join(bytes, sql` + `) : sql.raw('0')}), ${arrays} from (${rows}) as page`
}

/**
 * The first rows of an index range. The constant limit tells the planner that they are few: it assumes that an unknown limit
 * returns a tenth of the table. One more row than the largest page tells whether another page follows.
 */
function limitRange(source: ListSource, shape: PageShape, valueOf: ValueSource): SQL {
  const most = sql.raw(String(PAGE_SIZE.maximum + 1))
  return sql`select * from (${selectRange(source, shape, valueOf)} limit ${most}) as range limit ${valueOf('limit')}`
}

/** Each value is counted in its own range of an index that begins with it: GROUP BY would use an index that lacks the value, or read all of one that begins with it. */
function countsBy(source: ListSource, by: string, conditions: readonly string[]): SQL {
  const { column, enumValues } = requireEnumeration(source.list, by)
  const valueCounts = enumValues.map((_, index) => {
    const value = parameter(`${VALUE}${index}`, column.getSQLType())
    return selectCounts(source, conditions, { shown: value, where: sql`${column} = ${value}` })
  })
  const nulls = selectCounts(source, conditions, { shown: sql`null`, where: sql`${column} is null` })
  return sql.join([...valueCounts, nulls], sql` union all `)
}

/** Beyond this many items, ending the subscriptions is cheaper than an event for each. */
const MAX_IMPORT_EVENTS = 100

export const postgresDialect = {
  createInsert,
  update,
  claimKey,
  cleanUp: () => undefined,
  page,
  returnsRows: false,
  countsBy,
  maxImportEvents: MAX_IMPORT_EVENTS,
  rebuildsIndexes: true,
}
