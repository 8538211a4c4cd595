import type { Dialect } from './dialect.ts'
import { insertUnlessUsed } from '../pets/idempotency.ts'
import { dropIndexes } from '../pets/import-indexes.ts'
import { nameKeyOf } from '../pets/name-key.ts'
import { planPage } from '../pets/pet-pages.ts'
import { buildUpdate, insertTogether } from '../pets/pets.ts'
import { pets } from './tables.ts'

/** Beyond this many pets, ending the subscriptions is cheaper than an event for each. */
const MAX_IMPORT_EVENTS = 100

/** Any Postgres, including the embedded one. Its triggers announce every write. */
export const postgresDialect: Dialect = {
  planPage,
  nameKey: nameKeyOf(pets.name),
  createPets: insertTogether,
  updatePet: buildUpdate,
  createPetOnce: insertUnlessUsed,
  announce: (writing) => writing,
  endStaleSubscriptions: () => undefined,
  maxImportEvents: MAX_IMPORT_EVENTS,
  dropIndexes,
  close: () => Promise.resolve(),
}
