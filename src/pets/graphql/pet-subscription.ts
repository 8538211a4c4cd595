import { builder } from '../../graphql/schema/builder.ts'
import { defineEvents } from '../../graphql/schema/item-events.ts'
import { petList } from '../pet-resource.ts'
import { PetFilterInput, PetObject } from './pet-type.ts'

const events = defineEvents(PetObject, 'Pet', petList)

builder.subscriptionFields((t) => ({
  petChanged: t.field({
    type: events.type,
    description:
      'Every event for a pet that matches the filter, or did before the event. The stream ends when events may have been missed ' +
      'and when the server stops: then subscribe again, and refetch what you display.',
    args: {
      filter: t.arg({ type: PetFilterInput, description: 'The pets to watch: `{status: [available]}`.' }),
    },
    subscribe: (_, { filter }, context) => events.subscribe(filter, context),
    resolve: events.resolve,
  }),
}))
