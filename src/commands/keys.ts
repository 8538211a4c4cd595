/** The commands that manage API keys. They print only what they are asked for to stdout: a secret, a list, JSON. */
import { OperatorError, UsageError } from '../base/operator-error.ts'
import { PROGRAM_NAME } from '../base/program-name.ts'
import type { Scope } from '../base/scope.ts'
import { isKeyName } from '../config/api-keys-config.ts'
import type { DatabaseConfig } from '../config/database-config.ts'
import type { Database } from '../db/database.ts'
import * as keys from '../db/stored-keys.ts'
import { KNOWN_WITHIN } from '../keys/key-polling.ts'
import { containsSecret, createKeySecret, readKeyId } from '../keys/key-secret.ts'
import { nameDatabase } from './explain-database-error.ts'
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
    await printCreated({ id, name, scope, expires, secret }, config, json)
  })
}

/** Prints all keys, as a table or JSON. */
export async function listKeys({ json }: JsonOption): Promise<void> {
  await withDatabase(async (database) => {
    const found = await keys.listKeys(database)
    if (json) await print(JSON.stringify(found, null, 2))
    else if (found.length === 0)
      console.error(`There are no keys in the database. Create one: ${PROGRAM_NAME} keys create NAME`)
    else await print(toTable(found))
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
    const created = await keys.rotateKey(connection, { id, name, expires, digest }, overlap)
    if (!created) {
      throw new OperatorError(
        `No valid key has the name ${name}. Run "${PROGRAM_NAME} keys list" to see the names.`,
      )
    }
    await printCreated({ id, name, ...created, secret }, config, options.json)
    console.error(
      overlap === 0
        ? `The older secrets of ${name} have expired; running servers will reject them within ${KNOWN_WITHIN}.`
        : `The older secrets of ${name} expire in ${options.overlap}.`,
    )
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

type CreatedKey = Pick<keys.StoredKey, 'id' | 'name' | 'scope' | 'expires'> & { secret: string }

/** Prints a key that was just created: its secret, or all of it as JSON, to stdout; what people must know, to stderr. */
async function printCreated(
  key: CreatedKey,
  database: DatabaseConfig,
  json: true | undefined,
): Promise<void> {
  const { id, name, scope, expires, secret } = key
  const validity = expires ? `valid until ${expires}` : 'never expires'
  // Without DATABASE_URL, a command uses an embedded database, and creates it if there is none.
  const place = nameDatabase(database)
  console.error(`Created key ${id} for ${name}: scope ${scope}, ${validity}, in the ${place}.`)
  console.error('The secret is not stored and cannot be shown again.')
  // Last, so that an error follows the id of the key whose secret is lost.
  await print(json ? JSON.stringify(key, null, 2) : secret)
}

function toTable(found: readonly keys.StoredKey[]): string {
  const header = ['ID', 'NAME', 'SCOPE', 'CREATED', 'EXPIRES', 'LAST USED']
  const fields = ['id', 'name', 'scope', 'created', 'expires', 'lastUsed'] as const
  const rows = [header, ...found.map((key) => fields.map((field) => key[field] ?? 'never'))]
  const widths = header.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  const toLine = (row: string[]) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')
  return rows.map((row) => toLine(row).trimEnd()).join('\n')
}

/** Prints a line to stdout. @throws OperatorError if that fails: the disk is full, or the reader, such as head, has gone away */
async function print(line: string): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<Error | null | undefined>()
  process.stdout.write(`${line}\n`, resolve)
  const error = await promise
  if (error) throw new OperatorError(`Cannot write to stdout: ${error.message}.`)
}
