/** What differs between Postgres and Citus. It is chosen once, when the database is opened; the SQL for Citus is in ./citus. */
import type { SQL } from 'drizzle-orm'
import type { NewPet, Pet, PetPatch } from '../pets/pet.ts'
import type { PagePlan } from '../pets/pet-pages.ts'
import type { PetRange } from '../pets/pet-range.ts'
import type { DedicatedConnection } from './postgres/dedicated-connection.ts'
import type { Queryable } from './postgres/pool.ts'
import type { Statement, StatementTemplate, TextRow } from './postgres/statement.ts'

export interface Dialect {
  /** How to query a page; null if no pet can match the filter. */
  planPage(range: PetRange): PagePlan | null
  /** The name key of a row of the table pets. */
  readonly nameKey: SQL
  /** Inserts pets, all or none. @returns their ids, in order */
  createPets(queryable: Queryable, newPets: readonly NewPet[]): Promise<TextRow[]>
  /** Returns the columns of the updated pet and, if `announce` needs them, those of the pet as it was. */
  updatePet(fields: readonly (keyof PetPatch)[]): StatementTemplate<keyof PetPatch | 'id'>
  readonly createPetOnce: StatementTemplate<'owner' | 'key' | 'fingerprint' | keyof NewPet>
  /**
   * Ensures that the subscribers of all servers learn of a write.
   * @param toChanges called with the result of the write, if triggers cannot announce it
   */
  announce<Result>(writing: Promise<Result>, toChanges: (result: Result) => PetChange[]): Promise<Result>
  /** Called when a server starts: one that died before may not have announced its last writes. */
  endStaleSubscriptions(): void
  /** The maximum number of pets of an import whose events are sent one by one; beyond that, subscriptions end. */
  readonly maxImportEvents: number
  /** Drops the indexes of an empty table, if that makes an import faster. @returns statements that make them again */
  dropIndexes(connection: DedicatedConnection): Promise<Statement[]>
  close(): Promise<void>
}

/** What a write did to one pet. */
export interface PetChange {
  kind: 'created' | 'updated' | 'deleted'
  /** As it is now or, if it was deleted, as it was. */
  pet: Pet
  /** As it was before an update. */
  before: Pet | null
}
