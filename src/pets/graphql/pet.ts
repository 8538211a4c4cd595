import type { Pet, PetStatus } from '../pet.ts'
import { findPet } from '../pets.ts'
import { isInt64 } from '../../base/int64.ts'
import { builder } from '../../graphql/schema/builder.ts'
import { NodeInterface } from './node.ts'

export const PetStatusEnum = builder.enumType('PetStatus', {
  description: 'The availability of a pet, as in the REST API.',
  values: {
    available: { description: 'The pet is for sale.' },
    pending: { description: 'The pet is being sold.' },
    sold: { description: 'The pet has been sold.' },
  } satisfies Record<PetStatus, { description: string }>,
})

export const PetObject = builder.objectRef<Pet>('Pet').implement({
  description: 'A pet in the inventory.',
  interfaces: [NodeInterface],
  fields: (t) => ({
    id: t.exposeID('id', {
      description: 'The id that the service assigned: a 64-bit integer in decimal digits.',
    }),
    name: t.exposeString('name', { description: 'The name of the pet.' }),
    categoryId: t.expose('categoryId', {
      type: 'Int64',
      description: "The id of the pet's category. Another service manages categories.",
    }),
    status: t.expose('status', {
      type: PetStatusEnum,
      nullable: true,
      description: 'The availability of the pet; null if it is not set.',
    }),
  }),
})

builder.queryFields((t) => ({
  pet: t.field({
    type: PetObject,
    nullable: true,
    description:
      'The pet with this id; null if there is none. REST equivalent: [`GET /v1/pets/{petId}`](docs#tag/pets/getPet).',
    args: { id: t.arg.id({ required: true, description: 'The id of the pet.' }) },
    resolve: (_, { id }, { session }) => (isInt64(id) ? findPet(session, id) : null),
  }),
}))
