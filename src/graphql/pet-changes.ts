import { createPetOnce } from '../db/idempotency.ts'
import type { Pet, PetChanges } from '../db/pet.ts'
import { createPet, deletePet, updatePet } from '../db/pets.ts'
import { catalogue, type Problem, refuse, ServiceError } from '../errors.ts'
import { isInt64 } from '../int64.ts'
import { builder } from './builder.ts'
import { checkText, PetObject, PetStatusEnum } from './pet.ts'

const NewPetInput = builder.inputType('NewPet', {
  description:
    'A new animal, such as `{name: "Rex", categoryId: "7", status: available}`. The service gives it its id.',
  fields: (t) => ({
    name: t.string({ required: true, description: 'What people call the animal, such as `"Rex"`.' }),
    categoryId: t.field({
      type: 'Int64',
      required: true,
      description: 'The category that the animal belongs to, such as `"7"`.',
    }),
    status: t.field({
      type: PetStatusEnum,
      description: 'Whether the animal can be bought, such as `available`; stays unset when left out.',
    }),
  }),
})

const PetChangesInput = builder.inputType('PetChanges', {
  description:
    'What to change of an animal: what is left out stays as it is, and `{status: null}` unsets the status.',
  fields: (t) => ({
    name: t.string({ description: 'The new name, such as `"Rex"`; not null.' }),
    categoryId: t.field({ type: 'Int64', description: 'The new category, such as `"7"`; not null.' }),
    status: t.field({ type: PetStatusEnum, description: 'The new status, such as `sold`; null unsets it.' }),
  }),
})

builder.mutationFields((t) => ({
  createPet: t.field({
    type: PetObject,
    description:
      'Adds an animal to the inventory: `createPet(input: {name: "Rex", categoryId: "7"}) { id }`. ' +
      "REST's twin is [`POST /v1/pets`](/docs#/pets/createPet).",
    args: {
      input: t.arg({
        type: NewPetInput,
        required: true,
        description: 'The new animal, such as `{name: "Rex", categoryId: "7"}`.',
      }),
      idempotencyKey: t.arg.string({
        description:
          'Makes it safe to ask again when no answer came: for 24 hours, whoever asks with the same API key, this key and ' +
          'the same input gets the first answer. Any 1 to 255 visible ASCII characters, such as `3f1c5d0e-6a0f-4f0e-9a51-0d2f6c1f7b11`.',
      }),
    },
    resolve: (_, { input, idempotencyKey }, { database, key }) => {
      refuse([checkText('input.name', input.name), checkIdempotencyKey(idempotencyKey)])
      const pet = { name: input.name, categoryId: input.categoryId, status: input.status ?? null }
      if (idempotencyKey == null) return createPet(database, pet)
      return createPetOnce(database, pet, { owner: key.name, key: idempotencyKey })
    },
  }),
  updatePet: t.field({
    type: PetObject,
    description:
      'Changes an animal, and answers it as it is then: `updatePet(id: "42", input: {status: sold}) { status }`.',
    args: {
      id: t.arg.id({ required: true, description: 'The id of the animal, such as `"42"`.' }),
      input: t.arg({
        type: PetChangesInput,
        required: true,
        description: 'What to change, such as `{status: sold}`.',
      }),
    },
    resolve: (_, { id, input: { name, categoryId, status } }, { database }) => {
      refuse([
        checkNotNull('input.name', name),
        checkText('input.name', name),
        checkNotNull('input.categoryId', categoryId),
      ])
      const changes: PetChanges = {}
      if (name != null) changes.name = name
      if (categoryId != null) changes.categoryId = categoryId
      if (status !== undefined) changes.status = status
      return requirePet(id, (petId) => updatePet(database, petId, changes))
    },
  }),
  deletePet: t.field({
    type: PetObject,
    description:
      'Takes an animal out of the inventory, and answers it as it was: `deletePet(id: "42") { name }`.',
    args: { id: t.arg.id({ required: true, description: 'The id of the animal, such as `"42"`.' }) },
    resolve: (_, { id }, context) => requirePet(id, (petId) => deletePet(context.database, petId)),
  }),
}))

function checkIdempotencyKey(key: string | null | undefined): Problem | null {
  if (key == null || /^[\x21-\x7e]{1,255}$/.test(key)) return null
  const message = 'The idempotency key must be 1 to 255 visible ASCII characters.'
  return { argument: 'idempotencyKey', message }
}

function checkNotNull(argument: string, value: unknown): Problem | null {
  return value === null ? { argument, message: `${argument.split('.').at(-1)} must not be null.` } : null
}

async function requirePet(id: string, find: (id: string) => Promise<Pet | null>): Promise<Pet> {
  const pet = isInt64(id) ? await find(id) : null
  if (pet) return pet
  const { message } = catalogue.PET_NOT_FOUND
  throw new ServiceError('PET_NOT_FOUND', message, { problems: [{ argument: 'id', message }] })
}
