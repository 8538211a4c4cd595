import { petOperations } from '../pets/rest.ts'
import type { RestOperations } from '../rest/rest-operation.ts'

/**
 * The operations of the contract. One that is missing here does not compile. They are not in resources.ts, since they import what
 * `npm run codegen` makes of the schema, which is made of the resources there.
 */
export const restOperations: RestOperations = { ...petOperations }
