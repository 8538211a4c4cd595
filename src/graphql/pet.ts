import { findPet, type Pet, type PetStatus } from '../db/pets.ts'
import { parseInt64 } from '../int64.ts'
import { builder } from './builder.ts'

export const PetStatusEnum = builder.enumType('PetStatus', {
  description: 'Whether an animal can be bought, in the words of the REST contract.',
  values: {
    available: { description: 'The animal can be bought.' },
    pending: { description: 'Somebody is about to buy the animal.' },
    sold: { description: 'The animal has been bought.' },
  } satisfies Record<PetStatus, { description: string }>,
})

export const PetObject = builder.objectRef<Pet>('Pet').implement({
  description: 'An animal of the inventory.',
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
    description: 'One animal; null when no animal has the id.',
    args: { id: t.arg.id({ required: true, description: 'The id of the animal, such as `"42"`.' }) },
    resolve: (_, args, context) => {
      const id = parseInt64(args.id)
      return id === null ? null : findPet(context.database, id)
    },
  }),
}))
