/** Pages of the list of pets, and their statements. */
import type { Dialect } from '../../src/db/database.ts'
import { petList } from '../../src/pets/pet-resource.ts'
import type { Statement } from '../../src/db/postgres/statement.ts'
import type { FilterInput } from '../../src/resource/lists/conditions.ts'
import { recordStatements } from '../unit/support/database.ts'
import { conditionsOf } from './conditions.ts'

const { filters } = petList.description
export type PetFilter = FilterInput<typeof filters>
export interface PetPage extends Omit<Parameters<typeof petList.load>[1], 'conditions'> {
  /** Its values are normalized. */
  filter: PetFilter
}
export type PetOrder = PetPage['order']

/** Every order of the list, in both directions. */
export const petOrders: readonly PetOrder[] = Object.keys(petList.description.orders).flatMap((field) =>
  (['ASC', 'DESC'] as const).map((direction) => ({ field: field as PetOrder['field'], direction })),
)

const first: PetPage = { filter: {}, order: { field: 'ID', direction: 'ASC' }, limit: 21 }

/** The statements for pages that are asked for in one iteration. @param pages what differs from the first page by id */
export async function recordPages(
  pages: readonly Partial<PetPage>[],
  options?: { dialect: Dialect },
): Promise<[Statement, ...Statement[]]> {
  const [statement, ...others] = await recordStatements(
    (requestData) =>
      Promise.all(
        pages.map((different) => {
          const { filter, ...page } = { ...first, ...different }
          return petList.load(requestData, { ...page, conditions: conditionsOf(filters, filter) })
        }),
      ),
    options,
  )
  if (!statement) throw new Error('No statement was run')
  return [statement, ...others]
}
