/** Ranges of the list of pets, and the statements of their pages. */
import type { Dialect } from '../../src/db/database.ts'
import { petList } from '../../src/pets/pet-resource.ts'
import type { Statement } from '../../src/db/postgres/statement.ts'
import { recordStatements } from '../unit/support/database.ts'

export type PetRange = Parameters<typeof petList.load>[1]
export type PetFilter = PetRange['filter']
export type PetOrder = PetRange['order']

/** Every order of the list, in both directions. */
export const petOrders: readonly PetOrder[] = Object.keys(petList.description.orders).flatMap((field) =>
  (['ASC', 'DESC'] as const).map((direction) => ({ field: field as PetOrder['field'], direction })),
)

const first: PetRange = { filter: {}, order: { field: 'ID', direction: 'ASC' }, limit: 21, from: 'start' }

/** The statements for pages that are asked for in one iteration. @param ranges what differs from the first page by id */
export async function recordPages(
  ranges: readonly Partial<PetRange>[],
  options?: { dialect: Dialect },
): Promise<[Statement, ...Statement[]]> {
  const [statement, ...others] = await recordStatements(
    (requestData) => Promise.all(ranges.map((range) => petList.load(requestData, { ...first, ...range }))),
    options,
  )
  if (!statement) throw new Error('No statement was run')
  return [statement, ...others]
}
