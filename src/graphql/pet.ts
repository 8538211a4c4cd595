import type { Pet } from '../db/pet.ts'
import type { PetStatus } from '../db/pet-status.ts'
import { findPet } from '../db/pets.ts'
import type { Problem } from '../errors.ts'
import { isInt64 } from '../int64.ts'
import { builder } from './builder.ts'

export const PetStatusEnum = builder.enumType('PetStatus', {
  description:
    'Whether an animal can be bought, in the words of the REST contract: `available`, `pending` or `sold`.',
  values: {
    available: { description: 'The animal can be bought: `{status: available}`.' },
    pending: { description: 'Somebody is about to buy the animal: `{status: pending}`.' },
    sold: { description: 'The animal has been bought: `{status: sold}`.' },
  } satisfies Record<PetStatus, { description: string }>,
})

export const PetObject = builder.objectRef<Pet>('Pet').implement({
  description: 'An animal of the inventory: `{ id name categoryId status }`.',
  fields: (t) => ({
    id: t.exposeID('id', {
      description: 'What the service calls the animal: a 64-bit integer in decimal digits, such as `"42"`.',
    }),
    name: t.exposeString('name', { description: 'What people call the animal, such as `"Rex"`.' }),
    categoryId: t.expose('categoryId', {
      type: 'Int64',
      description: 'The category that the animal belongs to, such as `"7"`. Categories are kept elsewhere.',
    }),
    status: t.expose('status', {
      type: PetStatusEnum,
      nullable: true,
      description: 'Whether the animal can be bought, such as `available`; null when nobody has said.',
    }),
  }),
})

builder.queryFields((t) => ({
  pet: t.field({
    type: PetObject,
    nullable: true,
    description:
      'One animal, such as `pet(id: "42") { name }`; null when no animal has the id. ' +
      "REST's twin is [`GET /v1/pets/{petId}`](/docs#/pets/getPet).",
    args: { id: t.arg.id({ required: true, description: 'The id of the animal, such as `"42"`.' }) },
    resolve: (_, { id }, { database }) => (isInt64(id) ? findPet(database, id) : null),
  }),
}))

/** Postgres keeps neither U+0000 nor half a surrogate pair; to drop them in silence would change the text. */
export function checkText(argument: string, text: string | null | undefined): Problem | null {
  if (text == null || (!text.includes('\0') && text.isWellFormed())) return null
  const name = argument.split('.').at(-1)
  return { argument, message: `${name} must be a string without U+0000 and without lone surrogates.` }
}
