import { NAME_KEY_LENGTH } from '../db/name-key.ts'
import { foldName } from '../db/pet-list.ts'
import type { PetFilter } from '../db/pet-range.ts'
import type { Problem } from '../errors.ts'
import { builder, type Context } from './builder.ts'
import { checkText, PetStatusEnum } from './pet.ts'

/** Categories of one filter: each is a search of its own. */
export const MAX_CATEGORIES = 50

export const PetFilterInput = builder.inputType('PetFilter', {
  description:
    'Which animals; what is left out or null does not matter. All that is given has to fit: ' +
    '`{status: [available, pending], categoryId: ["7"]}` is the animals of category 7 that are available or pending.',
  fields: (t) => ({
    status: t.field({
      type: [PetStatusEnum],
      description: 'Animals with any of these statuses, such as `[available, pending]`.',
    }),
    categoryId: t.field({
      type: ['Int64'],
      description: `Animals of any of these categories, such as \`["7", "8"]\`; at most ${MAX_CATEGORIES}.`,
    }),
    namePrefix: t.string({
      description:
        `Animals whose name starts like this, such as \`"re"\` for Rex, in small letters or large ones; at most ${NAME_KEY_LENGTH} characters. ` +
        'No character has a special meaning: `%`, `_` and `\\` stand for themselves.',
    }),
  }),
})

/** A filter as it was sent. */
type Sent = (typeof PetFilterInput)['$inferInput']

/** @returns the same for the database, which folds the prefix; of a filter that checkFilter has found nothing wrong with */
export async function readFilter(filter: Sent | null | undefined, { database }: Context): Promise<PetFilter> {
  const { status, categoryId, namePrefix } = filter ?? {}
  return {
    status: status ?? undefined,
    categoryId: categoryId ?? undefined,
    keyPrefix: namePrefix ? await foldName(database, namePrefix) : undefined,
  }
}

/** What is wrong with a filter beyond what the types of the graph say. */
export function checkFilter(filter: Sent | null | undefined): (Problem | null)[] {
  const { categoryId, namePrefix } = filter ?? {}
  const isLong = namePrefix != null && Array.from(namePrefix).length > NAME_KEY_LENGTH
  return [
    categoryId != null && new Set(categoryId).size > MAX_CATEGORIES
      ? {
          argument: 'filter.categoryId',
          message: `categoryId must have at most ${MAX_CATEGORIES} different categories.`,
        }
      : null,
    isLong
      ? {
          argument: 'filter.namePrefix',
          message: `namePrefix must have at most ${NAME_KEY_LENGTH} characters.`,
        }
      : checkText('filter.namePrefix', namePrefix),
  ]
}
