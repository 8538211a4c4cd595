import { throwIfInvalid } from '../../base/service-error.ts'
import { requireValid } from '../../keys/api-key.ts'
import { builder } from '../../graphql/schema/builder.ts'
import type { Context } from '../../graphql/schema/context.ts'
import type { RowEvent } from '../../db/events/row-event.ts'
import { matchesEvent, toItem } from '../../resource/events.ts'
import { checkFilter, toFilter } from '../../resource/list-declaration.ts'
import { petList, petResource } from '../pet-resource.ts'
import { PetFilterInput, PetObject } from './pet-type.ts'

const PetEventObject = builder.objectRef<RowEvent>('PetEvent').implement({
  description: 'A pet was created, updated or deleted, through either API on any server.',
  fields: (t) => ({
    kind: t.expose('kind', {
      type: builder.enumType('PetEventKind', {
        description: 'The kinds of events.',
        values: {
          created: { description: 'The pet was created.' },
          updated: { description: 'At least one field of the pet was updated.' },
          deleted: { description: 'The pet was deleted.' },
        } satisfies Record<RowEvent['kind'], object>,
      }),
      description: 'What happened to the pet.',
    }),
    pet: t.field({
      type: PetObject,
      description: 'The pet after the event, or, if it was deleted, as it was before.',
      resolve: ({ row }) => toItem(petResource, row),
    }),
  }),
})

builder.subscriptionType({
  description:
    'Subscribes to the inventory by server-sent events (`Accept: text/event-stream`) ' +
    "or Apollo's multipart protocol (`Accept: multipart/mixed;subscriptionSpec=1.0`).",
  fields: (t) => ({
    petChanged: t.field({
      type: PetEventObject,
      description:
        'Every event for a pet that matches the filter, or did before the event. The stream ends when events may have been missed ' +
        'and when the server stops: then subscribe again, and refetch what you display.',
      args: {
        filter: t.arg({ type: PetFilterInput, description: 'The pets to watch: `{status: [available]}`.' }),
      },
      subscribe: async (_, { filter: sent }, context) => {
        throwIfInvalid(checkFilter(petList.list, sent))
        const { requestData } = context
        const filter = await toFilter(petList.list, sent, requestData)
        const subscription = await requestData.database.changes.subscribe(requestData.clientName, (event) =>
          matchesEvent(petList, event, filter),
        )
        context.response.onClose(() => void subscription.return?.())
        try {
          // Earlier changes cause no event, so what the subscriber reads next must show them.
          await requestData.requireLatest()
          // If the key ended during this wait, nothing ended the subscription, which did not exist yet.
          requireValid(context.apiKey)
        } catch (error) {
          void subscription.return?.()
          throw error
        }
        return recordSeen(subscription, requestData)
      },
      // Runs once for all subscribers with the same selection; what differs between them happens above.
      resolve: (event) => event,
    }),
  }),
})

/** Yields the same events. Before each, it ensures that what the subscriber reads next includes that event. */
async function* recordSeen(
  events: AsyncIterable<RowEvent>,
  requestData: Context['requestData'],
): AsyncGenerator<RowEvent, void> {
  for await (const event of events) {
    if (event.walPosition) requestData.recordSeen(event.walPosition)
    yield event
  }
}
