/** The operations of the contract. Apart from resources.ts, since they are made from types that are generated from the schema. */
import { petOperations } from '../pets/rest.ts'
import type { RestOperations } from '../rest/mapping.ts'

/** One that is missing here does not compile. */
export const restOperations: RestOperations = { ...petOperations }
