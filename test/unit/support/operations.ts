import { requireValue } from '../../../src/db/postgres/statement.ts'
import { readContract } from '../../../src/rest/contract.ts'

const { operations } = readContract()
const nameOf = (isDeprecated: boolean): string =>
  requireValue(operations.find(({ deprecation }) => (deprecation !== null) === isDeprecated)).id

/** An operation of the contract that is deprecated, and may be removed; one that may not. */
export const [deprecated, lasting] = [nameOf(true), nameOf(false)]
