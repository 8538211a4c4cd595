import { createPetOnce } from '../db/idempotency.ts'
import { createPet, deletePet, type Pet, type PetChanges, updatePet } from '../db/pets.ts'
import { ServiceError } from '../errors.ts'
import { parseInt64 } from '../int64.ts'
import { builder } from './builder.ts'
import { PetObject, PetStatusEnum } from './pet.ts'

const NewPetInput = builder.inputType('NewPet', {
  description: 'A new animal. The service gives it its id.',
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
  description: 'What to change of an animal; what is left out stays as it is.',
  fields: (t) => ({
    name: t.string({ description: 'The new name, such as `"Rex"`; not null.' }),
    categoryId: t.field({ type: 'Int64', description: 'The new category, such as `"7"`; not null.' }),
    status: t.field({ type: PetStatusEnum, description: 'The new status, such as `sold`; null unsets it.' }),
  }),
})

builder.mutationFields((t) => ({
  createPet: t.field({
    type: PetObject,
    description: 'Adds an animal to the inventory.',
    args: {
      input: t.arg({ type: NewPetInput, required: true, description: 'The new animal.' }),
      idempotencyKey: t.arg.string({
        description:
          'Makes it safe to ask again when no answer came: for 24 hours, whoever asks with the same API key, this key and ' +
          'the same input gets the first answer. Any 1 to 255 visible ASCII characters, such as a UUID.',
      }),
    },
    resolve: (_, { input, idempotencyKey }, { database, key }) => {
      const pet = {
        name: readName(input.name),
        categoryId: BigInt(input.categoryId),
        status: input.status ?? null,
      }
      if (idempotencyKey == null) return createPet(database, pet)
      return createPetOnce(database, pet, { owner: key.name, key: readIdempotencyKey(idempotencyKey) })
    },
  }),
  updatePet: t.field({
    type: PetObject,
    description: 'Changes an animal.',
    args: {
      id: t.arg.id({ required: true, description: 'The id of the animal, such as `"42"`.' }),
      input: t.arg({ type: PetChangesInput, required: true, description: 'What to change.' }),
    },
    resolve: async (_, { id, input }, context) => {
      const changes: PetChanges = {}
      if (input.name !== undefined) changes.name = readName(refuseNull('name', input.name))
      if (input.categoryId !== undefined)
        changes.categoryId = BigInt(refuseNull('categoryId', input.categoryId))
      if (input.status !== undefined) changes.status = input.status
      return requirePet(id, (petId) => updatePet(context.database, petId, changes))
    },
  }),
  deletePet: t.field({
    type: PetObject,
    description: 'Takes an animal out of the inventory, and answers it as it was.',
    args: { id: t.arg.id({ required: true, description: 'The id of the animal, such as `"42"`.' }) },
    resolve: (_, { id }, context) => requirePet(id, (petId) => deletePet(context.database, petId)),
  }),
}))

/** Postgres keeps neither U+0000 nor half a surrogate pair; to drop them in silence would change the name. */
function readName(name: string): string {
  if (name.includes('\0') || !name.isWellFormed()) {
    throw new ServiceError(
      'INVALID_VALUE',
      'name must be a string without U+0000 and without lone surrogates.',
      {
        field: 'name',
      },
    )
  }
  return name
}

function readIdempotencyKey(key: string): string {
  if (!/^[\x21-\x7e]{1,255}$/.test(key)) {
    throw new ServiceError(
      'INVALID_VALUE',
      'The idempotency key must be 1 to 255 visible ASCII characters.',
      {
        field: 'idempotencyKey',
      },
    )
  }
  return key
}

function refuseNull<Value>(field: string, value: Value | null): Value {
  if (value === null) throw new ServiceError('INVALID_VALUE', `${field} must not be null.`, { field })
  return value
}

async function requirePet(id: string, find: (id: bigint) => Promise<Pet | null>): Promise<Pet> {
  const petId = parseInt64(id)
  const pet = petId === null ? null : await find(petId)
  if (!pet) throw new ServiceError('PET_NOT_FOUND', undefined, { field: 'id' })
  return pet
}
