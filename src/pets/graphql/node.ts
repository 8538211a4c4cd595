import { petStore } from '../pets.ts'
import { isInt64 } from '../../base/int64.ts'
import { builder } from '../../graphql/schema/builder.ts'

/**
 * Relay's interface for objects with an id. Pets are the only ones, so their ids are unique as they are; a second type needs ids with
 * a prefix, by which `node` tells it from a pet.
 */
export const NodeInterface = builder.interfaceRef<{ id: string }>('Node').implement({
  description:
    'An object with a globally unique id, as in the [Relay global object identification specification](https://relay.dev/graphql/objectidentification.htm).',
  fields: (t) => ({ id: t.exposeID('id', { description: 'The globally unique id of the object.' }) }),
  resolveType: () => 'Pet',
})

builder.queryFields((t) => ({
  node: t.field({
    type: NodeInterface,
    nullable: true,
    description:
      'The object with this id; null if there is none. Relay uses it to refetch; otherwise, `pet` is simpler: every object is a pet.',
    args: { id: t.arg.id({ required: true, description: 'The id of the object.' }) },
    resolve: (_, { id }, { session }) => (isInt64(id) ? petStore.find(session, id) : null),
  }),
}))
