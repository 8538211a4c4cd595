/** The input types, and the validation that their types cannot express. */
import { NAME_KEY_LENGTH } from '../name-key.ts'
import { toNameKey } from '../pet-list.ts'
import type { PetFilter, PetOrder } from '../pet-range.ts'
import type { Problem } from '../../base/errors.ts'
import { builder } from '../../graphql/schema/builder.ts'
import type { Context } from '../../graphql/schema/context.ts'
import { PetStatusEnum } from './pet.ts'

/** The maximum number of categories in one filter: each is a separate index range. */
export const MAX_CATEGORIES = 50

export const NewPetInput = builder.inputType('NewPet', {
  description: 'A pet to create. The service assigns its id.',
  fields: (t) => ({
    name: t.string({ required: true, description: 'The name of the pet.' }),
    categoryId: t.field({ type: 'Int64', required: true, description: "The id of the pet's category." }),
    status: t.field({
      type: PetStatusEnum,
      description: 'The availability of the pet; not set if omitted.',
    }),
  }),
})

export const PetChangesInput = builder.inputType('PetChanges', {
  description: 'The fields to update. An omitted field stays unchanged; `{status: null}` unsets the status.',
  fields: (t) => ({
    name: t.string({ description: 'The new name; must not be null.' }),
    categoryId: t.field({ type: 'Int64', description: 'The id of the new category; must not be null.' }),
    status: t.field({ type: PetStatusEnum, description: 'The new availability; null unsets it.' }),
  }),
})

export const PetFilterInput = builder.inputType('PetFilter', {
  description:
    'Conditions, all of which a pet must meet. An omitted or null condition does not restrict the result. ' +
    '`{status: [available, pending], categoryId: ["7"]}`: the pets of category 7 that are available or pending.',
  fields: (t) => ({
    status: t.field({
      type: [PetStatusEnum],
      description: 'Any of these statuses: `[available, pending]`.',
    }),
    categoryId: t.field({
      type: ['Int64'],
      description: `Any of these categories, at most ${MAX_CATEGORIES}: \`["7", "8"]\`.`,
    }),
    namePrefix: t.string({
      description:
        `The beginning of the name, at most ${NAME_KEY_LENGTH} characters, ignoring case: \`"re"\` matches Rex. ` +
        'There are no special characters: `%`, `_` and `\\` stand for themselves.',
    }),
  }),
})

export const PetOrderInput = builder.inputType('PetOrder', {
  description: 'The order of a list: `{field: NAME, direction: ASC}` is from A to Z.',
  fields: (t) => ({
    field: t.field({
      type: builder.enumType('PetOrderField', {
        description: 'The fields that a list can be ordered by.',
        values: {
          ID: { description: 'By id, which is the order of creation.' },
          NAME: {
            description: `By the first ${NAME_KEY_LENGTH} characters of the name in lower case, compared by code point; then by id.`,
          },
        } satisfies Record<PetOrder['field'], object>,
      }),
      required: true,
      description: 'The field to order by.',
    }),
    direction: t.field({
      type: builder.enumType('OrderDirection', {
        description: 'The direction of an order.',
        values: {
          ASC: { description: 'Ascending: the smallest first.' },
          DESC: { description: 'Descending: the largest first.' },
        } satisfies Record<PetOrder['direction'], object>,
      }),
      required: true,
      description: 'The direction.',
    }),
  }),
})

/** A filter as sent by the client. */
type SentFilter = (typeof PetFilterInput)['$inferInput'] | null | undefined

/** Converts a valid filter to one for the database, which folds the case of the prefix. */
export async function toPetFilter(filter: SentFilter, { session }: Context): Promise<PetFilter> {
  const { status, categoryId, namePrefix } = filter ?? {}
  return {
    status: status ?? undefined,
    categoryId: categoryId ?? undefined,
    keyPrefix: namePrefix ? await toNameKey(session, namePrefix) : undefined,
  }
}

export function validateFilter(filter: SentFilter): (Problem | null)[] {
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
      : validateText('filter.namePrefix', namePrefix),
  ]
}

/** Postgres stores neither U+0000 nor lone surrogates; dropping them silently would change the text. */
export function validateText(argument: string, text: string | null | undefined): Problem | null {
  if (text == null || (!text.includes('\0') && text.isWellFormed())) return null
  const name = argument.split('.').at(-1)
  return { argument, message: `${name} must be a string without U+0000 and without lone surrogates.` }
}

export function validateNotNull(argument: string, value: unknown): Problem | null {
  return value === null ? { argument, message: `${argument.split('.').at(-1)} must not be null.` } : null
}

export function validateIdempotencyKey(key: string | null | undefined): Problem | null {
  if (key == null || /^[\x21-\x7e]{1,255}$/.test(key)) return null
  const message = 'The idempotency key must be 1 to 255 visible ASCII characters.'
  return { argument: 'idempotencyKey', message }
}
