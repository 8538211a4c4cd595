/** The commands that manage API keys. */
import { OperatorError } from '../base/operator-error.ts'
import { PROGRAM_NAME } from '../base/program-name.ts'
import type { Scope } from '../base/scope.ts'
import type { Database } from '../db/database.ts'
import * as keys from '../db/stored-keys.ts'
import { KNOWN_WITHIN } from '../keys/key-polling.ts'
import { containsSecret, createKeySecret, readKeyId } from '../keys/key-secret.ts'
import type { Duration } from './key-arguments.ts'
import { announceCreated, printCreated, printKeys, toTable } from './key-output.ts'
import { withDatabase, withDedicatedConnections } from './database/with-database.ts'

interface JsonOption {
  json: true | undefined
}

interface CreateOptions extends JsonOption {
  scope: Scope
  /** undefined: never */
  expires: keys.Expiry | undefined
}

interface RevokeOptions {
  all: true | undefined
}

interface RotateOptions extends JsonOption {
  overlap: Duration
  /** undefined: the new key lives as long as the one before */
  expires: keys.Expiry | undefined
}

/** Creates a key, and prints its secret. */
export async function createKey(name: string, { scope, expires, json }: CreateOptions): Promise<void> {
  const { id, secret, digest } = createKeySecret()
  await withDatabase(async (database, databaseName) => {
    const granted = await keys.createKey(database, { id, name, scope, expires, digest })
    const key = { id, name, ...granted, secret }
    // Without DATABASE_URL, this is an embedded database, which a command creates if there is none.
    announceCreated(key, databaseName)
    await printCreated(key, json)
  })
}

/** Prints all keys, as a table or JSON. */
export async function listKeys({ json }: JsonOption): Promise<void> {
  await withDatabase(async (database) => {
    const found = await keys.listKeys(database)
    if (found.length > 0 || json) await printKeys(found, json)
    else console.error(`There are no keys in the database. Create one: ${PROGRAM_NAME} keys create NAME`)
  })
}

/** Revokes one key by its id, which may be given as its secret, or, with `all`, every key of a name. */
export async function revokeKeys(text: string, { all }: RevokeOptions): Promise<void> {
  const idOrName = all ? text : (readKeyId(text) ?? text)
  await withDatabase(async (database) => {
    const revoked = await keys.revokeKeys(database, all ? { name: idOrName } : { id: idOrName })
    if (revoked.length === 0) throw await explainAbsence(database, idOrName, all ? 'name' : 'id')
    for (const { id, name } of revoked)
      console.error(`Revoked key ${id} of ${name}; running servers will reject it within ${KNOWN_WITHIN}.`)
  })
}

/** Says why there was nothing to revoke: no key has this id or name, or it is a name, whose keys are listed then. */
async function explainAbsence(database: Database, text: string, kind: 'id' | 'name'): Promise<OperatorError> {
  const named = (await keys.listKeys(database)).filter(({ name }) => name === text)
  if (named.length > 0)
    return new OperatorError(
      `No key has the id ${text}, but these have the name:\n${toTable(named)}\n` +
        `To revoke all of them: ${PROGRAM_NAME} keys revoke ${text} --all`,
    )
  // Also one that is mistyped, or with something else around it. No message may contain it.
  if (containsSecret(text))
    return new OperatorError(
      kind === 'id'
        ? `No key has this secret: is it complete? Run "${PROGRAM_NAME} keys list" to see the ids.`
        : 'A secret is no name: to revoke the key that has it, leave out --all.',
    )
  return new OperatorError(
    `No key has the ${kind} ${text}. Run "${PROGRAM_NAME} keys list" to see the ${kind}s.`,
  )
}

/** Creates a new secret for a name, and prints it; the older ones expire after an overlap. */
export async function rotateKey(name: string, { overlap, expires, json }: RotateOptions): Promise<void> {
  const { id, secret, digest } = createKeySecret()
  await withDedicatedConnections(async (database, databaseName) => {
    await using connection = await database.connect({ hasTimeLimit: true })
    const granted = await keys.rotateKey(connection, { id, name, expires, digest }, overlap.seconds)
    if (!granted)
      throw new OperatorError(
        `No valid key has the name ${name}. Run "${PROGRAM_NAME} keys list" to see the names.`,
      )
    const key = { id, name, ...granted, secret }
    announceCreated(key, databaseName)
    console.error(
      overlap.seconds === 0
        ? `The older secrets of ${name} have expired; running servers will reject them within ${KNOWN_WITHIN}.`
        : `The older secrets of ${name} expire in ${overlap.text} at the latest.`,
    )
    await printCreated(key, json)
  })
}
