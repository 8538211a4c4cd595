/** The conditions of a page, a count or a subscription: read from what a client sends, compared with the rows of events, and as SQL. */
import { type SQL, sql } from 'drizzle-orm'
import type { Problem } from '../../base/error-catalogue.ts'
import { throwIfInvalid } from '../../base/service-error.ts'
import type { RowState } from '../../db/events/event-notifications.ts'
import { placeholder } from '../../db/postgres/statement.ts'
import type { RequestData } from '../../db/request-data.ts'
import { expectedTextInstead } from '../fields/field-type.ts'
import type { ConditionValue, Filter, Filters } from './filters.ts'

/** What a client sends for the filters of a list, by their names; null and undefined stand for no condition. */
export type FilterInput<Of extends Filters> = {
  readonly [Name in keyof Of]?: Parameters<Of[Name]['check']>[0] | null | undefined
}

/** A filter, and what a client has sent for it, valid or not. */
export interface InputCondition {
  name: string
  filter: Filter
  input: ConditionValue
}

/** A filter, and the normalized value that items are compared with. */
export interface Condition {
  name: string
  filter: Filter
  value: ConditionValue
}

/** The conditions in what a client has sent, not validated. @param input by the names of filters; other names are ignored */
export function inputConditionsOf(filters: Filters, input: object | null | undefined): InputCondition[] {
  const conditions: InputCondition[] = []
  const entries: [string, unknown][] = Object.entries(input ?? {})
  for (const [name, value] of entries) {
    const filter = Object.hasOwn(filters, name) ? filters[name] : undefined
    if (filter && value != null && !filter.isNone(value)) conditions.push({ name, filter, input: value })
  }
  return conditions
}

/** @returns what is wrong with each condition; null: nothing */
export function validateConditions(conditions: readonly InputCondition[]): (Problem | null)[] {
  return conditions.map(({ name, filter, input }) => {
    const problem = (filter.isAnyText ? findTextProblem(input) : null) ?? filter.check(input)
    return problem === null ? null : { argument: `filter.${name}`, message: `${name} must ${problem}.` }
  })
}

/** Finds a text that Postgres would reject (U+0000), or compare as another one. @param input a text, or a list of them */
function findTextProblem(input: ConditionValue): string | null {
  const isList = Array.isArray(input)
  for (const value of isList ? (input as readonly unknown[]) : [input]) {
    const expected = typeof value === 'string' ? expectedTextInstead(value) : null
    if (expected !== null) return isList ? `each be ${expected}` : `be ${expected}`
  }
  return null
}

/** @param conditions which are valid */
export async function normalizeConditions(
  conditions: readonly InputCondition[],
  requestData: RequestData,
): Promise<Condition[]> {
  const normalized: Condition[] = []
  for (const { name, filter, input } of conditions)
    normalized.push({ name, filter, value: await filter.normalize(input, requestData) })
  return normalized
}

/**
 * Reads what a client has sent: as inputConditionsOf, then validated and normalized.
 * @throws ServiceError INVALID_VALUE that names all conditions that are invalid
 */
export async function readConditions<Description extends { filters: Filters }>(
  { filters }: Description,
  input: FilterInput<Description['filters']> | null | undefined,
  requestData: RequestData,
): Promise<Condition[]> {
  const conditions = inputConditionsOf(filters, input)
  throwIfInvalid(validateConditions(conditions))
  return normalizeConditions(conditions, requestData)
}

/** Whether a row meets all conditions. */
export function matchesAll(row: RowState, conditions: readonly Condition[]): boolean {
  return conditions.every(({ filter, value }) => filter.matches(row[filter.column.name] ?? null, value))
}

/** Conditions as SQL, with their values: for a statement that is built for them. */
export function whereAll(conditions: readonly Condition[]): SQL[] {
  return conditions.map(({ filter, value }) =>
    filter.where(sql`${filter.toSqlValue(value)}::${sql.raw(filter.sqlType)}`),
  )
}

/** Conditions as SQL for a statement that is built once: it has all filters of a list, whichever of them are a condition of a page. */
export function optionalConditions(filters: Filters) {
  const unset: Record<string, string | null> = Object.fromEntries(
    Object.keys(filters).map((name) => [name, null]),
  )
  return {
    /** One for each filter, with a placeholder by its name. Postgres drops it from its plan if that is sent null. */
    where: Object.entries(filters).map(([name, filter]) => {
      const value = placeholder(name, filter.sqlType)
      return sql`(${value} is null or ${filter.where(value)})`
    }),
    /** What the placeholders are sent. @throws Error if a condition is by a filter of another list: without it, all items would match */
    valuesOf: (conditions: readonly Condition[]): Record<string, string | null> => {
      const values = { ...unset }
      for (const { name, filter, value } of conditions) {
        if (filters[name] !== filter) throw new Error(`${name} is no filter of the list`)
        values[name] = filter.toSqlValue(value)
      }
      return values
    },
  }
}
