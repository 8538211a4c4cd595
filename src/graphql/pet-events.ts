import type { PetChange } from '../db/changes.ts'
import { watchPets } from '../db/watch-pets.ts'
import { refuse } from '../errors.ts'
import { builder } from './builder.ts'
import { PetObject } from './pet.ts'
import { checkFilter, PetFilterInput, readFilter } from './pet-filter.ts'

const PetEvent = builder.objectRef<PetChange>('PetEvent').implement({
  description:
    'A change of one animal, through either door of any server of this inventory: `{ kind pet { id name } }`.',
  fields: (t) => ({
    kind: t.expose('kind', {
      type: builder.enumType('PetEventKind', {
        description: 'What has happened to an animal: it was `created`, `updated` or `deleted`.',
        values: {
          created: { description: 'The animal has been added, by `createPet` or `POST /v1/pets`.' },
          updated: {
            description:
              'Something about the animal is different: its status after `updatePet`, for example.',
          },
          deleted: { description: 'The animal has been taken out, by `deletePet`.' },
        } satisfies Record<PetChange['kind'], object>,
      }),
      description: 'What has happened, such as `updated`.',
    }),
    pet: t.expose('pet', {
      type: PetObject,
      description: 'The animal as this change has left it, `{ id name status }`; a deleted one as it was.',
    }),
  }),
})

builder.subscriptionType({
  description: 'What can be listened to, as server-sent events: `Accept: text/event-stream`.',
  fields: (t) => ({
    petChanged: t.field({
      type: PetEvent,
      description:
        'Every change of an animal that fits the filter, or did before the change: `petChanged { kind pet { id status } }`. ' +
        'The stream ends when changes may have been missed, and when the server stops: subscribe again then, and read again what you show.',
      args: {
        filter: t.arg({
          type: PetFilterInput,
          description: 'Which animals, such as `{status: [available]}`.',
        }),
      },
      subscribe: async (_, { filter }, context) => {
        refuse(checkFilter(filter))
        return watchPets(context.database, await readFilter(filter, context), context.onClose)
      },
      resolve: (change) => change,
    }),
  }),
})
