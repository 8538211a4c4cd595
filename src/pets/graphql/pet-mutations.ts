import { createPetOnce } from '../idempotency.ts'
import type { Pet, PetPatch } from '../pet.ts'
import { createPet, deletePet, updatePet } from '../pets.ts'
import { catalogue, ServiceError, throwIfInvalid } from '../../base/errors.ts'
import { isInt64 } from '../../base/int64.ts'
import { builder } from '../../graphql/schema/builder.ts'
import {
  NewPetInput,
  PetChangesInput,
  validateIdempotencyKey,
  validateNotNull,
  validateText,
} from './pet-inputs.ts'
import { PetObject } from './pet.ts'

builder.mutationFields((t) => ({
  createPet: t.field({
    type: PetObject,
    description:
      'Creates a pet: `createPet(input: {name: "Rex", categoryId: "7"}) { id }`. ' +
      'REST equivalent: [`POST /v1/pets`](docs#tag/pets/createPet).',
    args: {
      input: t.arg({ type: NewPetInput, required: true, description: 'The pet to create.' }),
      idempotencyKey: t.arg.string({
        description:
          'Makes retries safe: for 24 hours, a request with the same API key, idempotency key and input gets the first answer ' +
          'again. 1 to 255 visible ASCII characters, such as `3f1c5d0e-6a0f-4f0e-9a51-0d2f6c1f7b11`.',
      }),
    },
    resolve: (_, { input, idempotencyKey }, { session, apiKey }) => {
      throwIfInvalid([validateText('input.name', input.name), validateIdempotencyKey(idempotencyKey)])
      const pet = { name: input.name, categoryId: input.categoryId, status: input.status ?? null }
      if (idempotencyKey == null) return createPet(session, pet)
      return createPetOnce(session, pet, { owner: apiKey.name, key: idempotencyKey })
    },
  }),
  updatePet: t.field({
    type: PetObject,
    description:
      'Updates a pet and returns the updated pet: `updatePet(id: "42", input: {status: sold}) { status }`.',
    args: {
      id: t.arg.id({ required: true, description: 'The id of the pet.' }),
      input: t.arg({ type: PetChangesInput, required: true, description: 'The fields to update.' }),
    },
    resolve: (_, { id, input: { name, categoryId, status } }, { session }) => {
      throwIfInvalid([
        validateNotNull('input.name', name),
        validateText('input.name', name),
        validateNotNull('input.categoryId', categoryId),
      ])
      const patch: PetPatch = {}
      if (name != null) patch.name = name
      if (categoryId != null) patch.categoryId = categoryId
      if (status !== undefined) patch.status = status
      return requirePet(id, (petId) => updatePet(session, petId, patch))
    },
  }),
  deletePet: t.field({
    type: PetObject,
    description: 'Deletes a pet and returns it as it was: `deletePet(id: "42") { name }`.',
    args: { id: t.arg.id({ required: true, description: 'The id of the pet.' }) },
    resolve: (_, { id }, context) => requirePet(id, (petId) => deletePet(context.session, petId)),
  }),
}))

async function requirePet(id: string, find: (id: string) => Promise<Pet | null>): Promise<Pet> {
  const pet = isInt64(id) ? await find(id) : null
  if (pet) return pet
  const { message } = catalogue.PET_NOT_FOUND
  throw new ServiceError('PET_NOT_FOUND', message, { problems: [{ argument: 'id', message }] })
}
