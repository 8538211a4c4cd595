/** Texts that no client may see and no log may contain. */
import { homedir, tmpdir } from 'node:os'
import { TEMPORARY } from './temporary.ts'
import { ROOT } from './process.ts'
import { KEY } from './service.ts'

/** The password in the URLs of the databases of these tests, where they have one. */
export const PASSWORD = 'the-password-of-the-database'

const SECRETS: Record<string, RegExp> = {
  'a key': new RegExp(`${KEY}|${PASSWORD}`),
  SQL: /\b(select\b.{0,2000}\bfrom|insert\s+into|update\b.{0,200}\bset|delete\s+from|on\s+conflict)\b/is,
  'details of Postgres': /"(detail|hint|where|internal_query|schema_name|table_name|routine)":/,
  'a stack': /\bat (?:async )?[\w.<>[\] ]*\(?(?:file:|node:|\/)[^\s)]*:\d+|\b[\w-]+\.[cm]?[jt]s:\d+/,
  'a path': new RegExp(
    [ROOT, TEMPORARY, tmpdir(), homedir(), '/usr', '/var'].map((path) => `${path}(?![\\w-])`).join('|') +
      '|node_modules|file:/',
  ),
}

/** @returns what the text leaks, and where; undefined if nothing */
export function findLeak(text: string): string | undefined {
  for (const [name, pattern] of Object.entries(SECRETS)) {
    const found = pattern.exec(text)
    if (found) return `${name}: ${text.slice(Math.max(0, found.index - 100), found.index + 200)}`
  }
  return undefined
}
