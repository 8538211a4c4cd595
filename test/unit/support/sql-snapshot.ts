import { join } from 'node:path'
import { expect } from 'vitest'
import type { Statement } from '../../../src/db/postgres/statement.ts'

/** The folder of the snapshots, so that changes to the SQL show up in review. */
export const SNAPSHOTS = join(import.meta.dirname, '..', 'db', 'sql')

/** A statement for a snapshot; the title tells when it is used. */
export interface TitledStatement {
  title: string
  statement: Statement
}

/** Compares statements, their titles and their values with a file. */
export async function expectSnapshot(file: string, statements: readonly TitledStatement[]): Promise<void> {
  const text = statements.map(describeStatement).join('\n')
  await expect(text).toMatchFileSnapshot(join(SNAPSHOTS, file))
}

function describeStatement({ title, statement }: TitledStatement): string {
  const { name, text, parameters, prepare } = statement
  const values = parameters.map((value, index) => `$${index + 1} = ${value ?? 'NULL'}`)
  const lines = [
    `-- ${name}, ${prepare ? 'prepared' : 'not prepared'}${title === '' ? '' : `: ${title}`}`,
    ...(values.length > 0 ? [`-- ${values.join(', ')}`] : []),
  ]
  return `${escapeAstral(lines.join('\n'))}\n${layOut(text)}\n`
}

/** Some editors do not show these characters. */
function escapeAstral(text: string): string {
  return text.replaceAll(/[^\0-\uffff]/gu, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`)
}

/** A new line begins at each of these, and after an opening parenthesis before `select`. */
const LINE_STARTS =
  / (?=(?:(?<!delete )from|where|and|order by|limit|cross join|on conflict|returning|set|insert into|select) )/g

/** Breaks the SQL into lines, indented by parentheses. It changes nothing but whitespace. */
function layOut(sql: string): string {
  const text = sql.trim().replaceAll(/\s+/g, ' ').replaceAll('( ', '(').replaceAll(' )', ')')
  const lines = text
    .replaceAll(LINE_STARTS, '\n')
    .replaceAll(/\((?=(?:select|insert|delete) )|(?<=\),) (?=\w+ as \()/g, '$&\n')
    .split(/ ?\n/)
  let depth = 0
  return lines
    .map((line) => {
      const indented = `${'  '.repeat(depth)}${line}`
      depth += line.split('(').length - line.split(')').length
      return indented
    })
    .join('\n')
}
