import { NAME_KEY_LENGTH } from '../db/name-key.ts'
import type { PetOrder } from '../db/pet-range.ts'
import { builder } from './builder.ts'

export const PetOrderInput = builder.inputType('PetOrder', {
  description: 'In which order animals are listed; `{field: NAME, direction: ASC}` is from A to Z.',
  fields: (t) => ({
    field: t.field({
      type: builder.enumType('PetOrderField', {
        description: 'What animals are ordered by, such as `NAME`.',
        values: {
          ID: { description: 'The id, which is the order of creation: `9` before `10`.' },
          NAME: {
            description: `The name, in small letters or large ones, \`luna\` before \`Rex\`: its first ${NAME_KEY_LENGTH} characters, by code points. Of equal names, the id decides.`,
          },
        } satisfies Record<PetOrder['field'], object>,
      }),
      required: true,
      description: 'What to order by, such as `NAME`.',
    }),
    direction: t.field({
      type: builder.enumType('OrderDirection', {
        description: 'Which way an order goes: `ASC` from the smallest on, `DESC` from the largest on.',
        values: {
          ASC: { description: 'The smallest first: the id `1` before `2`, `Luna` before `Rex`.' },
          DESC: { description: 'The largest first: the newest animal, or `Rex` before `Luna`.' },
        } satisfies Record<PetOrder['direction'], object>,
      }),
      required: true,
      description: 'Which way, such as `DESC`.',
    }),
  }),
})
