/** The values of a list's filters: read from what a client sends, compared with the rows of events, and as SQL. */
import { type SQL, sql } from 'drizzle-orm'
import type { Problem } from '../../base/error-catalogue.ts'
import { throwIfInvalid } from '../../base/service-error.ts'
import type { RowState } from '../../db/events/event-notifications.ts'
import { placeholder } from '../../db/postgres/statement.ts'
import type { RequestData } from '../../db/request-data.ts'
import { expectedTextInstead } from '../fields/field-type.ts'
import type { ConditionValue, Filter, Filters } from './filters.ts'

/** The normalized values of filters, which are valid; a filter that is no condition has none. */
export type FilterValues<Of extends Filters = Filters> = {
  readonly [Name in keyof Of]?: Parameters<Of[Name]['check']>[0] | undefined
}

/** What a client sends for filters, by their names. */
export type FilterInput<Of extends Filters> = {
  readonly [Name in keyof Of]?: FilterValues<Of>[Name] | null
}

/** A filter, and what a client has sent for it, valid or not: never null. */
export interface SentCondition {
  name: string
  filter: Filter
  sent: ConditionValue
}

/** The filters that are a condition, before they are validated. @param sent what a client has sent for them; other names are ignored */
export function sentConditionsOf(filters: Filters, sent: object | null | undefined): SentCondition[] {
  const conditions: SentCondition[] = []
  const entries: [string, unknown][] = Object.entries(sent ?? {})
  for (const [name, value] of entries) {
    const filter = Object.hasOwn(filters, name) ? filters[name] : undefined
    if (filter && value != null && !filter.isNone(value)) conditions.push({ name, filter, sent: value })
  }
  return conditions
}

/**
 * Validates conditions, and makes the values of their filters.
 * @param otherProblems of the same request
 * @throws ServiceError INVALID_VALUE that names all problems
 */
export async function readFilterValues<Of extends Filters>(
  conditions: readonly SentCondition[],
  requestData: RequestData,
  otherProblems: readonly (Problem | null)[] = [],
): Promise<FilterValues<Of>> {
  throwIfInvalid([...otherProblems, ...conditions.map(findProblem)])
  const values: Record<string, ConditionValue> = {}
  for (const { name, filter, sent } of conditions) values[name] = await filter.normalize(sent, requestData)
  return values
}

function findProblem({ name, filter, sent }: SentCondition): Problem | null {
  const problem = (filter.isAnyText ? findTextProblem(sent) : null) ?? filter.check(sent)
  return problem === null ? null : { argument: `filter.${name}`, message: `${name} must ${problem}.` }
}

/** Finds a text that Postgres would reject (U+0000), or compare as another one. @param sent a text, or a list of them */
function findTextProblem(sent: ConditionValue): string | null {
  const isList = Array.isArray(sent)
  for (const value of isList ? (sent as readonly unknown[]) : [sent]) {
    const expected = typeof value === 'string' ? expectedTextInstead(value) : null
    if (expected !== null) return isList ? `each be ${expected}` : `be ${expected}`
  }
  return null
}

/** Reads what a client has sent as a filter. @throws as readFilterValues */
export function readFilter<Of extends Filters>(
  filters: Of,
  sent: FilterInput<Of> | null | undefined,
  requestData: RequestData,
): Promise<FilterValues<Of>> {
  return readFilterValues<Of>(sentConditionsOf(filters, sent), requestData)
}

/** A filter, and its value. */
interface Condition {
  filter: Filter
  value: ConditionValue
}

/** The filters that have a value. @throws Error if a name is no filter: all items would match */
export function conditionsOf<Of extends Filters>(filters: Of, values: FilterValues<Of>): Condition[] {
  const conditions: Condition[] = []
  for (const [name, value] of Object.entries<unknown>(values)) {
    const filter = filters[name]
    if (!filter) throw new Error(`${name} is no filter`)
    if (value != null) conditions.push({ filter, value })
  }
  return conditions
}

/** Whether a row matches all filters. */
export function matchesFilters<Of extends Filters>(
  filters: Of,
  row: RowState,
  values: FilterValues<Of>,
): boolean {
  return conditionsOf(filters, values).every(({ filter, value }) =>
    filter.matches(row[filter.column.name] ?? null, value),
  )
}

/** The conditions of the filters that have a value, with these values. */
export function whereFilters<Of extends Filters>(filters: Of, values: FilterValues<Of>): SQL[] {
  return conditionsOf(filters, values).map(({ filter, value }) =>
    filter.where(sql`${filter.toSqlValue(value)}::${sql.raw(filter.type)}`),
  )
}

/** All filters in one statement, whichever of them have a value. */
export function optionalFilters(filters: Filters) {
  const all = Object.entries(filters)
  return {
    /** The condition of each filter, with a placeholder by its name. Postgres drops it from its plan if that is sent null. */
    conditions: all.map(([name, filter]) => {
      const value = placeholder(name, filter.type)
      return sql`(${value} is null or ${filter.where(value)})`
    }),
    /** What the placeholders are sent: null if a filter has no value. */
    valuesOf(values: FilterValues): Record<string, string | null> {
      const sent: Record<string, string | null> = {}
      for (const [name, filter] of all) {
        const value = values[name]
        sent[name] = value == null ? null : filter.toSqlValue(value)
      }
      return sent
    },
  }
}
