import { type Condition, type FilterInput, inputConditionsOf } from '../../src/resource/lists/conditions.ts'
import type { Filters } from '../../src/resource/lists/filters.ts'

/** Conditions with these values, which are normalized already. */
export function conditionsOf<Of extends Filters>(filters: Of, values: FilterInput<Of>): Condition[] {
  return inputConditionsOf(filters, values).map(({ name, filter, input }) => ({ name, filter, value: input }))
}
