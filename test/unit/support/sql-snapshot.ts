import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { format } from 'sql-formatter'
import { expect, it, vi } from 'vitest'
import type { Dialect } from '../../../src/db/database.ts'
import { DedicatedConnection } from '../../../src/db/postgres/connections/dedicated-connection.ts'
import type { Statement, TextRow } from '../../../src/db/postgres/statement.ts'
import type { RequestData } from '../../../src/db/request-data.ts'
import { toHosts } from '../../support/address.ts'
import { findNothing, recordStatements } from './database.ts'

/** A statement for a snapshot; the title tells when it is used. */
export interface TitledStatement {
  title: string
  statement: Statement
}

export type Call = (requestData: RequestData) => Promise<unknown>

/** Ids are drawn, but nothing is found, and no idempotency key can be claimed. */
function answer(statement: Statement): TextRow[] {
  if (statement.name === 'drawCrateIds') return [['11'], ['12']]
  return statement.name.endsWith('Once') ? [[null]] : findNothing(statement)
}

/** The statements that a call runs. */
export async function record(
  call: Call,
  { title = '', dialect }: { title?: string; dialect?: Dialect } = {},
): Promise<TitledStatement[]> {
  const statements = await recordStatements(call, { dialect, answer })
  return statements.map((statement) => ({ title, statement }))
}

/** The statements that are run on a connection of their own, in order. @param answer the rows of each, by its name */
export async function recordOnConnection(
  run: (connection: DedicatedConnection) => Promise<unknown>,
  answer: (name: string) => TextRow[],
): Promise<TitledStatement[]> {
  const connection = new DedicatedConnection(toHosts('postgres://localhost:1/none'))
  const statements: TitledStatement[] = []
  vi.spyOn(connection, 'query').mockImplementation(async (statement) => {
    statements.push({ title: '', statement })
    return answer(statement.name)
  })
  await run(connection)
  return statements
}

/**
 * Compares statements, their titles and their values with files, so that changes to the SQL show up in review.
 * @param folder holds the files, and no others
 */
export function testSnapshots(
  folder: string,
  files: readonly [file: string, record: () => Promise<TitledStatement[]> | TitledStatement[]][],
): void {
  it.each(files)('%s has the SQL of each of its shapes', async (file, recordAll) => {
    const statements = await recordAll()
    expect(statements).not.toEqual([])
    await expect(statements.map(describeStatement).join('\n')).toMatchFileSnapshot(join(folder, file))
  })

  it('there are no files for statements that no longer exist', () => {
    const known = files.map(([file]) => file)
    expect(readdirSync(folder).filter((file) => !known.includes(file))).toEqual([])
  })
}

const STYLE = { language: 'postgresql', expressionWidth: 120 } as const

function describeStatement({ title, statement }: TitledStatement): string {
  const { name, text, parameters, prepare } = statement
  const values = parameters.map((value, index) => `$${index + 1} = ${value ?? 'NULL'}`)
  const lines = [
    `-- ${name}, ${prepare ? 'prepared' : 'not prepared'}${title === '' ? '' : `: ${title}`}`,
    ...(values.length > 0 ? [`-- ${values.join(', ')}`] : []),
  ]
  return `${escapeAstral(lines.join('\n'))}\n${format(text, STYLE)}\n`
}

/** Some editors do not show these characters. */
function escapeAstral(text: string): string {
  return text.replaceAll(/[^\0-\uffff]/gu, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`)
}
