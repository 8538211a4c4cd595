/** The operations that the list, the form and the events send. `npm run codegen` generates the types of their data and variables from them. */

/** @import * as Types from '../../generated/page-operations.ts' */
/**
 * @template Data
 * @template Variables
 * @typedef {import('../../pages/assets/shared/api-requests.js').Operation<Data, Variables>} Operation
 */

/** The newest first, so that a new pet is visible. @type {Operation<Types.PetsQuery, Types.PetsQueryVariables>} */
export const PETS = /* GraphQL */ `
  query Pets($first: Int, $filter: PetFilter) {
    pets(first: $first, filter: $filter, orderBy: { field: ID, direction: DESC }) {
      nodes {
        id
        name
        categoryId
        status
      }
      pageInfo {
        hasNextPage
      }
    }
  }
`

/** @type {Operation<Types.CreatePetMutation, Types.CreatePetMutationVariables>} */
export const CREATE_PET = /* GraphQL */ `
  mutation CreatePet($input: NewPet!, $idempotencyKey: String!) {
    createPet(input: $input, idempotencyKey: $idempotencyKey) {
      id
      name
    }
  }
`

/** @type {Operation<Types.UpdatePetMutation, Types.UpdatePetMutationVariables>} */
export const UPDATE_PET = /* GraphQL */ `
  mutation UpdatePet($id: ID!, $input: PetChanges!, $expected: PetChanges) {
    updatePet(id: $id, input: $input, expected: $expected) {
      id
    }
  }
`

/** @type {Operation<Types.PetChangedSubscription, Types.PetChangedSubscriptionVariables>} */
export const PET_CHANGED = /* GraphQL */ `
  subscription PetChanged {
    petChanged {
      kind
      pet {
        id
        name
      }
    }
  }
`
