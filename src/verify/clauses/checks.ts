/** What bodies have to be. */
import { isJsonObject } from '../../base/json.ts'
import { type Check, type Inventory, MAX_LIMIT, type Pet } from './clause.ts'

export const STATUSES = ['available', 'pending', 'sold']
const FIELDS = ['id', 'name', 'categoryId', 'status'] as const

/** The contract's Pet. It may have more fields. */
export const isPet: Check = (value) => {
  if (!isJsonObject(value)) return `expected a pet, got ${show(value)}`
  const { id, name, categoryId, status } = value
  if (typeof id !== 'bigint') return `expected id to be an int64, got ${show(id)}`
  if (typeof name !== 'string') return `expected name to be a string, got ${show(name)}`
  if (typeof categoryId !== 'bigint') return `expected categoryId to be an int64, got ${show(categoryId)}`
  if (status !== undefined && !STATUSES.some((known) => known === status))
    return `expected status to be one of ${STATUSES.join(', ')}, or absent, got ${show(status)}`
  return null
}

/** The contract's Error, which has the status of its response. */
export const isErrorOf =
  (status: number): Check =>
  (value) => {
    if (!isJsonObject(value)) return `expected an Error body, got ${show(value)}`
    for (const field of ['code', 'message'])
      if (typeof value[field] !== 'string')
        return `expected ${field} of the Error body to be a string, got ${show(value[field])}`
    if (value.status !== BigInt(status))
      return `expected status of the Error body to be ${status}, got ${show(value.status)}`
    return null
  }

/** A pet with these fields, whatever its others. */
export const isPetWith =
  (expected: Partial<Pet>): Check =>
  (value) => {
    const problem = isPet(value)
    if (problem !== null || !isJsonObject(value)) return problem
    const field = FIELDS.find((name) => name in expected && value[name] !== expected[name])
    return field ? `expected ${field} to be ${show(expected[field])}, got ${show(value[field])}` : null
  }

/** A pet that has the same fields set and unset. */
export const isSamePet = ({ id, name, categoryId, status }: Pet): Check =>
  status === undefined
    ? both(isPetWith({ id, name, categoryId }), lacks('status'))
    : isPetWith({ id, name, categoryId, status })

export const lacks =
  (field: string): Check =>
  (value) =>
    isJsonObject(value) && field in value ? `expected no ${field}, got ${show(value[field])}` : null

/** An array of different pets. @param most how many it may have */
export const isListUpTo =
  (most: number): Check =>
  (value) => {
    if (!Array.isArray(value)) return `expected an array of pets, got ${show(value)}`
    if (value.length > most) return `expected ${most} pets at most, got ${value.length}`
    const problem = value.map(isPet).find((found) => found !== null)
    if (problem !== undefined) return problem
    const ids = (value as Pet[]).map(({ id }) => id)
    const repeated = ids.find((id, index) => ids.indexOf(id) !== index)
    return repeated === undefined ? null : `expected unique ids, got ${repeated} twice`
  }

/** As many of all pets as fit. */
export const isPageOf =
  (limit: number) =>
  ({ pets }: Inventory): Check => {
    if (pets === 'unknown') return isListUpTo(limit)
    const expected = Math.min(limit, pets.length)
    return both(isListUpTo(limit), (value) =>
      Array.isArray(value) && value.length === expected
        ? null
        : `expected ${expected} pets, got ${Array.isArray(value) ? value.length : show(value)}`,
    )
  }

/** The pets with a status, and no others, in any order. */
export const isFilteredBy =
  (status: string) =>
  ({ pets }: Inventory): Check =>
    both(isListUpTo(MAX_LIMIT), (value) => {
      const found = value as Pet[]
      const other = found.find((pet) => pet.status !== status)
      if (other)
        return `expected only pets that are ${status}, got pet ${other.id}, status ${show(other.status)}`
      if (pets === 'unknown') return null
      const known = pets.filter((pet) => pet.status === status)
      // If there are more than fit on a page, any of them may be on it.
      if (pets.length >= MAX_LIMIT)
        return found.length >= known.length
          ? null
          : `expected ${known.length} pets at least, got ${found.length}`
      const ids = new Set(found.map(({ id }) => id))
      const missing = known.find(({ id }) => !ids.has(id))
      if (missing) return `expected pet ${missing.id} to be listed`
      return ids.size === known.length ? null : `expected ${known.length} pets, got ${ids.size}`
    })

export const isOrderedById: Check = (value) => {
  if (!Array.isArray(value)) return null
  const ids = (value as Pet[]).map(({ id }) => id)
  const index = ids.findIndex((id, at) => at > 0 && id <= (ids[at - 1] ?? id))
  return index > 0 ? `expected ascending ids, got ${ids[index]} after ${ids[index - 1]}` : null
}

export const both =
  (first: Check, second: Check): Check =>
  (value) =>
    first(value) ?? second(value)

/** A value for a message: JSON, shortened. */
export function show(value: unknown): string {
  if (typeof value === 'bigint') return value.toString()
  const text =
    value === undefined
      ? 'nothing'
      : JSON.stringify(value, (_key, part: unknown) => (typeof part === 'bigint' ? part.toString() : part))
  return text.length > 120 ? `${text.slice(0, 120)}…` : text
}
