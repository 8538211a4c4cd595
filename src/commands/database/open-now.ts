import type { Observe } from '../../base/observation.ts'
import type { Database } from '../../db/database.ts'
import { OpeningError } from '../../db/opening-error.ts'
import { isRefusal } from '../../db/postgres/postgres-errors.ts'

/** Milliseconds that a command waits for a connection while Postgres has too many. */
const REFUSAL_LIMIT_MS = 3_000

/**
 * Opens a database that should be up, for a command. It waits for another migration, which it says on stderr, and for a moment while
 * Postgres refuses connections (REFUSAL_LIMIT_MS): it may still count one that this command has just closed.
 * @throws as Database.open; OpeningError instead of waiting for anything else
 */
export async function openNow(database: Pick<Database, 'open'>): Promise<void> {
  const { promise: givenUp, reject } = Promise.withResolvers<never>()
  let refusalLimit: NodeJS.Timeout | undefined
  const observe: Observe = (observation) => {
    if (observation.type === 'migration waiting') {
      console.error(`Waiting: ${observation.reason}.`)
      // It has got its connection.
      clearTimeout(refusalLimit)
      refusalLimit = undefined
    } else if (observation.type === 'database waiting') {
      const giveUp = () => reject(new OpeningError(observation.variable, observation.reason))
      if (isRefusal(observation.reason)) refusalLimit ??= setTimeout(giveUp, REFUSAL_LIMIT_MS)
      else giveUp()
    }
  }
  try {
    await Promise.race([database.open(observe), givenUp])
  } finally {
    clearTimeout(refusalLimit)
  }
}
