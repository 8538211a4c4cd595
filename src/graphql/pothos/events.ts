/** Subscriptions to the events of the items of any list. */
import type { ObjectRef } from '@pothos/core'
import type { RowEvent } from '../../db/events/event-notifications.ts'
import { matchesEvent } from '../../resource/events.ts'
import { type FilterInput, readConditions } from '../../resource/lists/conditions.ts'
import type { List } from '../../resource/list.ts'
import type { ListDescription } from '../../resource/lists/list-description.ts'
import type { Item } from '../../resource/fields/resource.ts'
import { toItem } from '../../resource/fields/row-state.ts'
import { builder } from './builder.ts'
import type { Context } from '../request/context.ts'

/** @returns the type of an event, what subscribes to those of the items that match a filter, and what an event becomes */
export function defineEvents<TItem extends Item, Description extends ListDescription>(
  node: ObjectRef<typeof builder.$inferSchemaTypes, TItem>,
  name: string,
  list: List<TItem, Description>,
) {
  const { resource } = list
  const { singular } = resource.words
  const type = builder.objectRef<{ kind: RowEvent['kind']; item: TItem }>(`${name}Event`).implement({
    description: `A change of one ${singular}: it was created, updated or deleted, through either API on any server.`,
    fields: (t) => ({
      kind: t.expose('kind', {
        type: builder.enumType(`${name}EventKind`, {
          description: 'The kinds of events.',
          values: {
            created: { description: `The ${singular} was created.` },
            updated: { description: `At least one field of the ${singular} was updated.` },
            deleted: { description: `The ${singular} was deleted.` },
          } satisfies Record<RowEvent['kind'], object>,
        }),
        description: `What happened to the ${singular}.`,
      }),
      [singular]: t.expose('item', {
        type: node,
        description: `The ${singular} as it is after the event; if it was deleted, as it was before.`,
      }),
    }),
  })

  /** @throws ServiceError INVALID_VALUE that names all invalid conditions; like EventFeed.subscribe */
  async function subscribe(
    input: FilterInput<Description['filters']> | null | undefined,
    { requestData, response, apiKey }: Context,
  ): Promise<AsyncGenerator<RowEvent, void>> {
    const conditions = await readConditions(list.description, input, requestData)
    const { events } = requestData.shared
    const subscription = await events.subscribe(apiKey.name, (event) =>
      matchesEvent(resource, event, conditions),
    )
    // The response is the group of all who subscribed alike (graphql/live/group.ts).
    if (response.destroyed) subscription.end()
    else response.once('close', () => subscription.end())
    return subscription.read()
  }

  const resolve = ({ kind, row }: RowEvent) => ({ kind, item: toItem(resource, row) })

  return { type, subscribe, resolve }
}
