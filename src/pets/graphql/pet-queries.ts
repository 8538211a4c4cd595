/** Finds and lists pets. */
import { GraphQLInt } from 'graphql'
import { throwIfInvalid } from '../../base/service-error.ts'
import { isInt64 } from '../../base/int64.ts'
import { builder } from '../../graphql/schema/builder.ts'
import { defineConnection, OrderDirection } from '../../graphql/schema/relay-connection.ts'
import { declareCost, SCAN_COST } from '../../graphql/schema/field-cost.ts'
import type { Context } from '../../graphql/schema/context.ts'
import { checkFilter, toFilter } from '../../resource/list-declaration.ts'
import type { ValueCount } from '../../resource/list-items.ts'
import { KEY_LENGTH } from '../../resource/text-key.ts'
import { petList, petStore } from '../pet-resource.ts'
import type { PetStatus } from '../table.ts'
import { NodeInterface, PetFilterInput, PetObject, PetStatusEnum } from './pet-type.ts'

const findPet = (_: unknown, { id }: { id: string }, { requestData }: Context) =>
  isInt64(id) ? petStore.find(requestData, id) : null

const PetOrderInput = builder.inputType('PetOrder', {
  description: 'The order of a list: `{field: NAME, direction: ASC}` is from A to Z.',
  fields: (t) => ({
    field: t.field({
      type: builder.enumType('PetOrderField', {
        description: 'The fields that a list can be ordered by.',
        values: {
          ID: { description: 'By id, which is the order of creation.' },
          NAME: {
            description: `By the first ${KEY_LENGTH} characters of the name in lower case, compared by code point; then by id.`,
          },
        } satisfies Record<keyof typeof petList.list.orders, object>,
      }),
      required: true,
      description: 'The field to order by.',
    }),
    direction: t.field({ type: OrderDirection, required: true, description: 'The direction.' }),
  }),
})

const PetCountObject = builder.objectRef<ValueCount<PetStatus>>('PetCount').implement({
  description: 'The number of pets with a status.',
  fields: (t) => ({
    status: t.expose('value', {
      type: PetStatusEnum,
      nullable: true,
      description: 'The status; null: it is not set.',
    }),
    count: t.int({
      description: 'The number of pets.',
      resolve: ({ count }) => GraphQLInt.coerceOutputValue(count),
    }),
  }),
})

const connection = defineConnection(PetObject, 'Pet', petList)

builder.queryFields((t) => ({
  pet: t.field({
    type: PetObject,
    nullable: true,
    description: 'The pet with this id; null if there is none.',
    args: { id: t.arg.id({ required: true, description: 'The id of the pet.' }) },
    resolve: findPet,
  }),
  node: t.field({
    type: NodeInterface,
    nullable: true,
    description:
      'The object with this id; null if there is none. Relay uses it to refetch; otherwise, `pet` is simpler: every object is a pet.',
    args: { id: t.arg.id({ required: true, description: 'The id of the object.' }) },
    resolve: findPet,
  }),
  pets: t.field({
    type: connection.type,
    description:
      'The pets in the inventory, one page at a time. A page of all pets, of one status or category by `ID`, or of a `namePrefix` by `NAME` is ' +
      'as fast among many pets as among few. Any other mix may have to sort or skip many pets, a `namePrefix` by `ID` all of them, and ' +
      'fails with the code `TIMEOUT` if it takes too long. ' +
      'REST equivalent: [`GET /v1/pets`](docs#tag/pets/listPets).',
    args: {
      ...connection.args,
      filter: t.arg({ type: PetFilterInput, description: 'The pets to return: `{status: [available]}`.' }),
      orderBy: t.arg({
        type: PetOrderInput,
        description:
          'The order; `{field: ID, direction: ASC}` by default, `{field: NAME, direction: ASC}` with a `namePrefix`. A cursor is valid only for the order that it came from.',
      }),
    },
    extensions: connection.extensions,
    resolve: (_, args, context) => connection.loadPage(args, context),
  }),
  petCounts: t.field({
    type: [PetCountObject],
    description:
      'The number of pets with each status, including statuses that no pet has: available, pending, sold and, last, not set. ' +
      'Together they cost as much as one `totalCount`.',
    args: {
      filter: t.arg({ type: PetFilterInput, description: 'The pets to count: `{categoryId: ["7"]}`.' }),
    },
    extensions: declareCost({ own: SCAN_COST }),
    resolve: async (_, { filter }, { requestData }) => {
      throwIfInvalid(checkFilter(petList.list, filter))
      return petList.countBy(requestData, 'status', await toFilter(petList.list, filter, requestData))
    },
  }),
}))
