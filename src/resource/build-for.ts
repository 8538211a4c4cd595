import type { Database } from '../db/database.ts'

/** Builds something when it is first needed, in the words of the database that needs it: those of Postgres, or those of Citus. */
export function buildFor<Built>(
  build: (isDistributed: boolean) => Built,
): (database: Pick<Database, 'isDistributed'>) => Built {
  const built = new Map<boolean, Built>()
  return ({ isDistributed }) => {
    const known = built.get(isDistributed) ?? build(isDistributed)
    built.set(isDistributed, known)
    return known
  }
}
