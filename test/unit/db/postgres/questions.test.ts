import { sql } from 'drizzle-orm'
import { expect, it } from 'vitest'
import { askAll } from '../../../../src/db/postgres/questions.ts'
import type { Statement } from '../../../../src/db/postgres/statement.ts'
import { answerRow } from '../../support/answers.ts'

const questions = {
  isHere: sql<boolean>`is_here()`,
  user: sql<string>`current_user`,
  hidden: sql<string | null>`find_hidden(${'a'})`,
}

it('asks all in one statement, and reads each answer by its type', async () => {
  const statements: Statement[] = []
  const query = async (statement: Statement) => {
    statements.push(statement)
    return answerRow(statement, { isHere: false, user: 'f', hidden: null })
  }
  expect(await askAll({ query }, 'askThem', questions)).toEqual({ isHere: false, user: 'f', hidden: null })
  expect(statements).toMatchObject([
    {
      name: 'askThem',
      text: 'select is_here() as "isHere", current_user as "user", find_hidden($1) as "hidden"',
      parameters: ['a'],
    },
  ])
})

it('no row is no answer', async () => {
  await expect(askAll({ query: async () => [] }, 'askThem', questions)).rejects.toThrow(
    'askThem has no result',
  )
})
