/** Pages of the list of pets, and their statements. */
import type { Dialect } from '../../src/db/database.ts'
import { petList } from '../../src/pets/pet-resource.ts'
import type { Statement } from '../../src/db/postgres/statement.ts'
import type { FilterInput } from '../../src/resource/lists/conditions.ts'
import type { ListOrder } from '../../src/resource/lists/orders.ts'
import type { PageQuery } from '../../src/resource/lists/page-query.ts'
import { recordStatements } from '../unit/support/database.ts'
import { conditionsOf } from './conditions.ts'

const { filters } = petList.description
export type PetFilter = FilterInput<typeof filters>
export type PetOrder = ListOrder<keyof typeof petList.description.orders>
export interface PetPage extends Omit<PageQuery, 'conditions'> {
  order: PetOrder
  /** Its values are normalized. */
  filter: PetFilter
}

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
          const { filter, order, ...page } = { ...first, ...different }
          return petList.load(requestData, order, { ...page, conditions: conditionsOf(filters, filter) })
        }),
      ),
    options,
  )
  if (!statement) throw new Error('No statement was run')
  return [statement, ...others]
}
