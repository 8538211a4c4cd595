import type { Dialect, PetChange } from '../dialect.ts'
import type { Statement, TextRow } from '../postgres/statement.ts'
import { Announcer } from './announcer.ts'
import { planRows } from './pages.ts'
import { STORED_NAME_KEY } from './tables.ts'
import { insertRows } from './create-pets.ts'
import { buildUpdateWithOld, deleteExpiredKeys, insertUnlessUsed } from './writes.ts'

/** Milliseconds between deletions of expired idempotency keys. */
const CLEAN_INTERVAL = 60_000

/** A database whose pets are distributed over the workers of a Citus cluster; the server is connected to the coordinator. */
export class CitusDialect implements Dialect {
  readonly planPage = planRows
  readonly nameKey = STORED_NAME_KEY
  readonly createPets = insertRows
  readonly updatePet = buildUpdateWithOld
  readonly createPetOnce = insertUnlessUsed
  /** An import sends no events, since nothing could announce them if it died after the commit. */
  readonly maxImportEvents = 0
  readonly #announcer: Announcer
  readonly #cleaning: NodeJS.Timeout

  constructor(query: (statement: Statement) => Promise<TextRow[]>) {
    this.#announcer = new Announcer(query)
    this.#cleaning = setInterval(
      () => void query(deleteExpiredKeys).catch(() => undefined),
      CLEAN_INTERVAL,
    ).unref()
  }

  endStaleSubscriptions(): void {
    this.#announcer.reset()
  }

  announce<Result>(writing: Promise<Result>, toChanges: (result: Result) => PetChange[]): Promise<Result> {
    return this.#announcer.announce(writing, toChanges)
  }

  /** Citus cannot build them in a transaction that has already stored pets. */
  async dropIndexes(): Promise<Statement[]> {
    return Promise.resolve([])
  }

  async close(): Promise<void> {
    clearInterval(this.#cleaning)
    await this.#announcer.close()
  }
}
