/** Creates, updates and deletes pets. */
import { catalogue, ServiceError } from '../../base/service-error.ts'
import { isInt64 } from '../../base/int64.ts'
import { builder } from '../../graphql/schema/builder.ts'
import {
  checkIdempotencyKey,
  IDEMPOTENCY_KEY_DESCRIPTION,
  readNewItem,
  readPatches,
} from '../../resource/item-validation.ts'
import { petResource, petStore } from '../pet-resource.ts'
import type { Pet } from '../table.ts'
import { NewPetInput, PetChangesInput, PetObject } from './pet-type.ts'

const EXPECTED_DESCRIPTION =
  'The values that the pet must have now; an omitted field is not compared, and `{status: null}` means that it is not set. ' +
  'If any differs, nothing is changed, and the code is `CONFLICT`.'

builder.mutationFields((t) => ({
  createPet: t.field({
    type: PetObject,
    description:
      'Creates a pet: `createPet(input: {name: "Rex", categoryId: "7"}) { id }`. ' +
      'REST equivalent: [`POST /v1/pets`](docs#tag/pets/createPet).',
    args: {
      input: t.arg({ type: NewPetInput, required: true, description: 'The pet to create.' }),
      idempotencyKey: t.arg.string({ description: IDEMPOTENCY_KEY_DESCRIPTION }),
    },
    resolve: (_, { input, idempotencyKey: key }, { requestData, apiKey }) => {
      const pet = readNewItem(petResource, input, 'input', [checkIdempotencyKey(key)])
      return key == null
        ? petStore.create(requestData, pet)
        : petStore.createOnce(requestData, pet, { owner: apiKey.name, key })
    },
  }),
  updatePet: t.field({
    type: PetObject,
    description:
      'Updates a pet and returns the updated pet: `updatePet(id: "42", input: {status: sold}) { status }`. ' +
      'With `expected: {status: available}`, only if it has not been sold in the meantime.',
    args: {
      id: t.arg.id({ required: true, description: 'The id of the pet.' }),
      input: t.arg({ type: PetChangesInput, required: true, description: 'The fields to update.' }),
      expected: t.arg({ type: PetChangesInput, description: EXPECTED_DESCRIPTION }),
    },
    resolve: (_, { id, input, expected }, { requestData }) => {
      const patches = readPatches(petResource, { input, expected })
      return requirePet(id, (petId) => petStore.update(requestData, petId, patches.input, patches.expected))
    },
  }),
  deletePet: t.field({
    type: PetObject,
    description: 'Deletes a pet and returns it as it was: `deletePet(id: "42") { name }`.',
    args: {
      id: t.arg.id({ required: true, description: 'The id of the pet.' }),
      expected: t.arg({ type: PetChangesInput, description: EXPECTED_DESCRIPTION }),
    },
    resolve: (_, { id, expected }, { requestData }) => {
      const patches = readPatches(petResource, { expected })
      return requirePet(id, (petId) => petStore.delete(requestData, petId, patches.expected))
    },
  }),
}))

async function requirePet(id: string, find: (id: string) => Promise<Pet | null>): Promise<Pet> {
  const pet = isInt64(id) ? await find(id) : null
  if (pet) return pet
  const { message } = catalogue.PET_NOT_FOUND
  throw new ServiceError('PET_NOT_FOUND', message, { problems: [{ argument: 'id', message }] })
}
