/** The commands that manage API keys. */
import { OperatorError, UsageError } from '../base/operator-error.ts'
import { PROGRAM_NAME } from '../base/program-name.ts'
import type { Scope } from '../base/scope.ts'
import { isKeyName } from '../config/api-keys-config.ts'
import type { Database } from '../db/database.ts'
import * as keys from '../db/stored-keys.ts'
import { KNOWN_WITHIN } from '../keys/key-polling.ts'
import { containsSecret, createKeySecret, readKeyId } from '../keys/key-secret.ts'
import { nameDatabase } from './explain-database-error.ts'
import { announceCreated, printCreated, printKeys, toTable } from './key-output.ts'
import { EXAMPLE_DATE, EXAMPLE_DURATIONS, parseDuration, parseTime } from './time-arguments.ts'
import { withDatabase, withDedicatedConnections } from './with-database.ts'

interface JsonOption {
  json: true | undefined
}

interface CreateOptions extends JsonOption {
  scope: Scope
  expires: string | undefined
}

interface RevokeOptions {
  all: true | undefined
}

interface RotateOptions extends JsonOption {
  overlap: string
  expires: string | undefined
}

/** Creates a key, and prints its secret. */
export async function createKey(name: string, options: CreateOptions): Promise<void> {
  throwIfSecret(name)
  if (!isKeyName(name))
    throw new UsageError('<name> must be 1 to 64 letters, digits, dots, dashes or underscores.')
  const { scope, json } = options
  const expires = readExpiry(options.expires)
  const { id, secret, digest } = createKeySecret()
  await withDatabase(async (database, config) => {
    await keys.createKey(database, { id, name, scope, expires, digest })
    const key = { id, name, scope, expires, secret }
    // Without DATABASE_URL, this is an embedded database, which a command creates if there is none.
    announceCreated(key, nameDatabase(config))
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
  const idOrName = readKeyId(text) ?? text
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
  // It is mistyped, or something else stands around it. No message may contain it.
  if (containsSecret(text))
    return new OperatorError(
      `No key has this secret: is it complete? Run "${PROGRAM_NAME} keys list" to see the ids.`,
    )
  return new OperatorError(
    `No key has the ${kind} ${text}. Run "${PROGRAM_NAME} keys list" to see the ${kind}s.`,
  )
}

/** Creates a new secret for a name, and prints it; the older ones expire after an overlap. */
export async function rotateKey(name: string, options: RotateOptions): Promise<void> {
  throwIfSecret(name)
  const overlap = parseDuration(options.overlap)
  if (overlap === null) throw new UsageError(`--overlap must be 0, or a duration: ${EXAMPLE_DURATIONS}.`)
  const expires = readExpiry(options.expires)
  const { id, secret, digest } = createKeySecret()
  await withDedicatedConnections(async (database, config) => {
    await using connection = await database.connect({ hasTimeLimit: true })
    const granted = await keys.rotateKey(connection, { id, name, expires, digest }, overlap)
    if (!granted)
      throw new OperatorError(
        `No valid key has the name ${name}. Run "${PROGRAM_NAME} keys list" to see the names.`,
      )
    const key = { id, name, ...granted, secret }
    announceCreated(key, nameDatabase(config))
    console.error(
      overlap === 0
        ? `The older secrets of ${name} have expired; running servers will reject them within ${KNOWN_WITHIN}.`
        : `The older secrets of ${name} expire in ${options.overlap}.`,
    )
    await printCreated(key, options.json)
  })
}

/** Names are printed and logged, which a secret must not be. @throws UsageError if the name has one, also a mistyped one */
function throwIfSecret(name: string): void {
  if (containsSecret(name)) throw new UsageError('<name> must be the name of a key, not its secret.')
}

/** @returns an RFC 3339 time; null: never */
function readExpiry(text: string | undefined): string | null {
  if (text === undefined) return null
  const time = parseTime(text)
  if (time === null || time.getTime() <= Date.now()) {
    throw new UsageError(
      `--expires must be a duration (${EXAMPLE_DURATIONS}) or a future date such as ${EXAMPLE_DATE}.`,
    )
  }
  // To the second, as the database prints it.
  return time.toISOString().replace(/\.\d+Z$/, 'Z')
}
