/** The code in a guide. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from './process.ts'

/** @param path of the guide, from the root @returns its blocks of TypeScript, in order */
export function readSnippets(path: string): string[] {
  const text = readFileSync(join(ROOT, path), 'utf8')
  return Array.from(text.matchAll(/^ *```ts\n(.*?)^ *```$/gms), ([, snippet = '']) => snippet)
}

/** @param section its heading @returns its blocks of SQL, each as its statements */
export function readSql(path: string, section: string): string[][] {
  const text = readFileSync(join(ROOT, path), 'utf8')
  const [, found = ''] = new RegExp(`^#+ ${section}$(.*?)^#`, 'ms').exec(text) ?? []
  return Array.from(found.matchAll(/^ *```sql\n(.*?)^ *```$/gms), ([, block = '']) =>
    block
      .split(';')
      .map((statement) => statement.trim())
      .filter((statement) => statement !== ''),
  )
}
