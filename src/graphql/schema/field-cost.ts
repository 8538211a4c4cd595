/** The cost of a field, declared with the field; ../query-cost.ts adds the costs up. */

/** The arguments of a field. Each value, or part of one, may be ANY. */
export type ArgumentValues = Readonly<Record<string, unknown>>

/** Stands for an unknown value: any that its type allows. */
export const ANY = Symbol('any value')

export interface FieldCost {
  /** The cost of the field itself; 1 if absent. */
  own?: number | ((args: ArgumentValues) => number)
  /** On a connection: the maximum number of items on its page. */
  pageSize?: (args: ArgumentValues) => number
  /** On a list of the enclosing page's items: the selection counts once per item. */
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

/** The number of distinct items in a list. @param most the largest possible number */
export function countItems(list: unknown, most: number): number {
  if (list === ANY) return most
  return Array.isArray(list) ? Math.max(1, new Set(list).size) : 1
}

/** A member of an input object. */
export function memberOf(value: unknown, name: string): unknown {
  if (value === ANY) return ANY
  return typeof value === 'object' && value !== null && name in value ? Reflect.get(value, name) : undefined
}
