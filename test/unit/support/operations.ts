import { requireNotNull } from '../../../src/base/not-null.ts'
import { readContract } from '../../../src/rest/contract.ts'

const { operations } = readContract()
const nameOf = (isDeprecated: boolean) =>
  requireNotNull(
    operations.find(({ deprecation }) => (deprecation !== null) === isDeprecated),
    'An operation',
  ).id

/** An operation of the contract that is deprecated, and may be removed; one that may not. */
export const [deprecated, lasting] = [nameOf(true), nameOf(false)]
