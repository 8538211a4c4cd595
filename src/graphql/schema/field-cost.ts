/** What a field costs, declared beside the field; ../query-cost.ts adds it up. */

/** The arguments of a field. Each value, or part of one, may be ANY. */
export type ArgumentValues = Readonly<Record<string, unknown>>

/** Stands for a value that is not known yet: whatever its type allows. */
export const ANY = Symbol('any value')

export interface FieldCost {
  /** The field by itself; 1 if absent. */
  own?: number | ((args: ArgumentValues) => number)
  /** On a connection: how many items its page may have. */
  pageSize?: (args: ArgumentValues) => number
  /** On a list of the items of the enclosing page: what it selects counts once for each item. */
  perItem?: boolean
}

declare module 'graphql' {
  // eslint-disable-next-line @typescript-eslint/no-unused-vars -- an augmentation repeats the type parameters
  interface GraphQLFieldExtensions<_TSource, _TContext, _TArgs> {
    cost?: FieldCost
  }
}

/** The `extensions` of a field that costs more than 1. */
export function declareCost(cost: FieldCost): { cost: FieldCost } {
  return { cost }
}

/** How many different items a list has. @param most the largest number possible */
export function countItems(list: unknown, most: number): number {
  if (list === ANY) return most
  return Array.isArray(list) ? Math.max(1, new Set(list).size) : 1
}

/** A member of an input object. */
export function memberOf(value: unknown, name: string): unknown {
  if (value === ANY) return ANY
  return typeof value === 'object' && value !== null && name in value ? Reflect.get(value, name) : undefined
}
