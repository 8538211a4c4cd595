import { createKeySecret } from '../api-key-secret.ts'
import { digestOf } from '../auth.ts'
import * as keys from '../db/api-keys.ts'
import { parseDuration, parseTime } from '../duration.ts'
import { isKeyName } from '../env.ts'
import { CommandError, failUsage } from './fail.ts'
import type { KeyOptions } from './program.ts'
import { withDatabase } from './with-database.ts'

/** Makes a key. Stdout gets the secret alone, or JSON; stderr gets the rest. */
export async function createKey(name: string, { scope, expires: end, json }: KeyOptions): Promise<void> {
  if (!isKeyName(name)) failUsage(`name must be 1 to 64 letters, digits, dots, dashes or underscores.`)
  const time = end === undefined ? null : parseTime(end)
  if (end !== undefined && (time === null || time.getTime() <= Date.now())) {
    failUsage('--expires must be a time to come: 90s, 15m, 24h, 90d, or a date such as 2027-12-31.')
  }
  const expires = time && toSeconds(time)
  const { id, secret } = createKeySecret()
  await withDatabase(async (database) => {
    await keys.createKey(database, { id, name, scope, expires, digest: toDigest(secret) })
    printSecret({ id, name, scope, expires, secret }, json)
  })
}

export async function listKeys({ json }: { json?: true }): Promise<void> {
  await withDatabase(async (database) => {
    const found = await keys.listKeys(database)
    if (json) console.log(JSON.stringify(found, null, 2))
    else if (found.length === 0) console.error('There is no key in the database. Make one: keys create NAME')
    else printTable(found)
  })
}

export async function revokeKey(id: string): Promise<void> {
  await withDatabase(async (database) => {
    const name = await keys.revokeKey(database, id)
    if (name === null) throw new CommandError(`No key has the id ${id}. "keys list" prints the ids.`)
    console.error(`Revoked key ${id} of ${name}; servers refuse it within two seconds.`)
  })
}

export async function rotateKey(name: string, options: { overlap: string; json?: true }): Promise<void> {
  const overlap = parseDuration(options.overlap)
  if (overlap === null) failUsage('--overlap must be a duration: 90s, 15m, 24h, 90d.')
  const { id, secret } = createKeySecret()
  await withDatabase(async (database) => {
    const scope = await keys.rotateKey(database, { id, name, digest: toDigest(secret) }, overlap)
    if (scope === null) {
      throw new CommandError(`No valid key has the name ${name}. "keys list" prints the names.`)
    }
    printSecret({ id, name, scope, expires: null, secret }, options.json)
    console.error(`The older secrets of ${name} end in ${options.overlap}.`)
  })
}

interface CreatedKey {
  id: string
  name: string
  scope: keys.KeyScope
  expires: string | null
  secret: string
}

function printSecret(key: CreatedKey, json: true | undefined): void {
  const { id, name, scope, expires, secret } = key
  console.log(json ? JSON.stringify(key, null, 2) : secret)
  console.error(`Created key ${id} of ${name}, scope ${scope}${expires ? `, until ${expires}` : ''}.`)
  console.error('Its secret is not stored, and is not shown again.')
}

function printTable(found: readonly keys.StoredKey[]): void {
  const rows = [
    ['ID', 'NAME', 'SCOPE', 'CREATED', 'EXPIRES', 'LAST USED'],
    ...found.map(({ id, name, scope, created, expires, lastUsed }) => [
      id,
      name,
      scope,
      created,
      expires ?? 'never',
      lastUsed ?? 'never',
    ]),
  ]
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  for (const row of rows) {
    console.log(
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
  }
}

function toSeconds(time: Date): string {
  return time.toISOString().replace(/\.\d+Z$/, 'Z')
}

function toDigest(secret: string): string {
  return digestOf(secret).toString('base64url')
}
