/** Writes with expected values (compare and set): what differs, and the error that says so. */
import { ServiceError } from '../../base/service-error.ts'
import type { FieldValues, Item, Resource } from '../fields/resource.ts'

/** Whether an item has the expected values. @param expected an absent field is not compared */
export function isAsExpected(resource: Resource, item: Item, expected: FieldValues): boolean {
  return findDifferences(resource, item, expected).length === 0
}

/** Why a write changed nothing. @param item as it is now, which may be as expected again @returns CONFLICT */
export function createConflict(resource: Resource, item: Item, expected: FieldValues): ServiceError {
  const names = findDifferences(resource, item, expected)
  const problems = names.map((name) => ({
    argument: `expected.${name}`,
    message: `${name} does not have the expected value.`,
  }))
  const message = `The ${resource.words.singular} was not changed, because ${describe(names)}`
  return new ServiceError('CONFLICT', message, { problems })
}

function findDifferences({ newFields }: Resource, item: Item, expected: FieldValues): string[] {
  const names = newFields.map(({ name }) => name)
  return names.filter((name) => expected[name] !== undefined && expected[name] !== item[name])
}

function describe(names: readonly string[]): string {
  if (names.length === 0)
    return 'it did not have the expected values at that moment, but has them now: try again.'
  if (names.length === 1) return `${names.join()} does not have the expected value.`
  return `${names.join(' and ')} do not have the expected values.`
}
