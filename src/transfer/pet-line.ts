/** What a line of a file says about a pet, and whether that is valid. */
import { MAX_KEPT_ID } from '../pets/import-ids.ts'
import type { ImportedPet } from '../pets/import-pets.ts'
import type { PetStatus } from '../pets/pet.ts'
import { petStatus } from '../db/tables.ts'
import { INT64_RANGE, MIN_INT64 } from '../base/int64.ts'

/** A line that is a pet, or why it is not. */
export type PetLine = { line: number; pet: ImportedPet } | BadLine

export interface BadLine {
  line: number
  reason: string
}

export interface ReadOptions {
  /** Whether each line must have an id, at most MAX_KEPT_ID; if not, ids are ignored. */
  keepIds: boolean
}

/** The fields in the order in which they are written. */
export const FIELDS = ['id', 'name', 'categoryId', 'status'] as const
export const INTEGER_FIELDS = ['id', 'categoryId'] as const
export type Field = (typeof FIELDS)[number]

/** Each value as it was read: an integer of 64 bits as a bigint. */
export type Values = Partial<Record<Field, unknown>>

/** Bytes in UTF-8: as many as fit into a request. */
const MAX_NAME_LENGTH = 2 ** 16
const KEPT_IDS = `an integer from ${MIN_INT64} to ${MAX_KEPT_ID}, since new ids continue after the greatest one`

export function isField(name: string): name is Field {
  return FIELDS.some((field) => field === name)
}

export function toPetLine(line: number, values: Values, { keepIds }: ReadOptions): PetLine {
  const id = keepIds ? readKeptId(values.id) : null
  const categoryId = readInteger(values.categoryId)
  const status = readStatus(values.status)
  const { name } = values
  if (
    (keepIds && id === null) ||
    categoryId === null ||
    status === undefined ||
    typeof name !== 'string' ||
    findNameProblem(name) !== null
  ) {
    return { line, reason: describeProblems(values, keepIds) }
  }
  return { line, pet: { line: String(line), id, name, categoryId, status } }
}

function readInteger(value: unknown): string | null {
  return typeof value === 'bigint' ? String(value) : null
}

function readKeptId(value: unknown): string | null {
  return typeof value === 'bigint' && value <= MAX_KEPT_ID ? String(value) : null
}

/** @returns undefined if it is not a status */
function readStatus(value: unknown): PetStatus | null | undefined {
  return value == null ? null : petStatus.enumValues.find((status) => status === value)
}

function findNameProblem(name: string): string | null {
  // The APIs reject these too.
  if (name.includes('\0') || !name.isWellFormed()) return 'without U+0000 and without lone surrogates'
  // No character takes more than three bytes per UTF-16 unit.
  const fits = name.length * 3 <= MAX_NAME_LENGTH || Buffer.byteLength(name) <= MAX_NAME_LENGTH
  return fits ? null : 'of at most 64 KiB in UTF-8'
}

/** Names each invalid field, and says what was expected. */
function describeProblems({ id, name, categoryId, status }: Values, keepIds: boolean): string {
  const nameProblem = typeof name === 'string' ? findNameProblem(name) : ''
  const problems = [
    keepIds && readKeptId(id) === null && describe('id', id, KEPT_IDS),
    nameProblem !== null && describe('name', name, `a string ${nameProblem}`.trim()),
    readInteger(categoryId) === null && describe('categoryId', categoryId, INT64_RANGE),
    readStatus(status) === undefined &&
      describe('status', status, `one of ${petStatus.enumValues.join(', ')}`),
  ]
  return problems.filter((problem) => problem !== false).join(' ')
}

function describe(field: Field, value: unknown, expected: string): string {
  return value === undefined ? `${field} is missing: ${expected}.` : `${field} must be ${expected}.`
}
