/** How a list is described: what it can be filtered by, and what it can be ordered by. */
import type { Filters } from './filters.ts'
import type { Orders } from './orders.ts'

export interface ListDescription {
  filters: Filters
  orders: Orders
}
