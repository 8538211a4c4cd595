import { and, sql } from 'drizzle-orm'
import { fromParameter, type PageShape, selectRange, type ValueName } from '../../pets/pet-page-sql.ts'
import { describePage, type PagePlan } from '../../pets/pet-pages.ts'
import type { PetRange } from '../../pets/pet-range.ts'
import { buildOnce, buildStatement, parameter, type StatementTemplate } from '../postgres/statement.ts'
import { pets, petStatus } from '../tables.ts'
import { STORED_NAME_KEY } from './tables.ts'

/**
 * A page in a form that Citus accepts: it rejects lateral joins, and would query the workers three times to gather arrays. Each
 * shard sends its first rows. Several combinations of a status and a category are conditions here, not an index range each.
 */
export function planRows(range: PetRange): PagePlan | null {
  const page = describePage(range)
  if (!page) return null
  const { shape, lists } = page
  const values = { ...page.values, ...lists }
  return {
    joined: null,
    alone: () => templateOf({ ...shape, hasLists: lists !== null }).with(values),
    hasRows: true,
  }
}

interface RowsShape extends Omit<PageShape, 'form'> {
  /** Whether a status or a category is one of several. */
  hasLists: boolean
}

const templateOf = buildOnce((shape: RowsShape) => Object.values(shape).join(), buildTemplate)

function buildTemplate({ hasLists, ...shape }: RowsShape): StatementTemplate<ValueName> {
  const rows = hasLists
    ? selectFiltered(shape)
    : selectRange(shape, fromParameter, { nameKey: STORED_NAME_KEY })
  // The best plan of a name search depends on the values.
  const prepare = shape.nameCondition === 'none'
  const page = sql`${rows} limit ${fromParameter('limit')}`
  return buildStatement<ValueName>('listPets', page, { prepare })
}

function selectFiltered(shape: Omit<PageShape, 'form'>) {
  const filter = and(
    shape.hasStatus
      ? sql`${pets.status} = any(${parameter('status', `${petStatus.enumName}[]`)})`
      : undefined,
    shape.hasCategory ? sql`${pets.categoryId} = any(${parameter('categoryId', 'bigint[]')})` : undefined,
  )
  const rest = { ...shape, hasStatus: false, hasCategory: false }
  return selectRange(rest, fromParameter, { nameKey: STORED_NAME_KEY, filter })
}
