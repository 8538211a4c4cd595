/** What the commands for API keys print: to stdout only what they are asked for, a secret, a list or JSON; the rest to stderr. */
import { OperatorError } from '../base/operator-error.ts'
import type { StoredKey } from '../db/stored-keys.ts'

/** A key that was just created. */
export type CreatedKey = Pick<StoredKey, 'id' | 'name' | 'scope' | 'expires'> & { secret: string }

/** Says which key was created. @param databaseName as `nameDatabase` says */
export function announceCreated({ id, name, scope, expires }: CreatedKey, databaseName: string): void {
  const validity = expires ? `valid until ${expires}` : 'never expires'
  console.error(`Created key ${id} for ${name}: scope ${scope}, ${validity}, in the ${databaseName}.`)
  console.error('The secret is not stored and cannot be shown again.')
}

/** Prints the secret of a key or, as JSON, all of it. Last, so that an error follows the id of the key whose secret is lost. @throws as `print` */
export async function printCreated(key: CreatedKey, json: true | undefined): Promise<void> {
  await print(json ? toJson(key) : key.secret)
}

/** Prints keys as a table or JSON. @throws as `print` */
export async function printKeys(keys: readonly StoredKey[], json: true | undefined): Promise<void> {
  await print(json ? toJson(keys) : toTable(keys))
}

export function toTable(keys: readonly StoredKey[]): string {
  const header = ['ID', 'NAME', 'SCOPE', 'CREATED', 'EXPIRES', 'LAST USED']
  const fields = ['id', 'name', 'scope', 'created', 'expires', 'lastUsed'] as const
  const rows = [header, ...keys.map((key) => fields.map((field) => key[field] ?? 'never'))]
  const widths = header.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  const toLine = (row: string[]) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')
  return rows.map((row) => toLine(row).trimEnd()).join('\n')
}

const toJson = (value: object) => JSON.stringify(value, null, 2)

/** Prints a line to stdout. @throws OperatorError if that fails: the disk is full, or the reader, such as head, has gone away */
async function print(line: string): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<Error | null | undefined>()
  process.stdout.write(`${line}\n`, resolve)
  const error = await promise
  if (error) throw new OperatorError(`Cannot write to stdout: ${error.message}.`)
}
