import { type SQL, sql } from 'drizzle-orm'
import type { StatementTarget } from './statement-target.ts'
import { fixedStatement } from './statement.ts'
import { queryTyped, toObject } from './typed-rows.ts'

/** Expressions, by the names of their answers. The type of each says what Postgres answers, where NULL is null. */
type Questions = Readonly<Record<string, SQL<boolean | string | null>>>

/** Each by the name of its question. */
type AnswersTo<Asked extends Questions> = {
  [Name in keyof Asked]: Asked[Name] extends SQL<infer Answer> ? Answer : never
}

/** Asks several questions in one statement. @param name that of the statement @throws as `target` */
export async function askAll<Asked extends Questions>(
  target: StatementTarget,
  name: string,
  questions: Asked,
): Promise<AnswersTo<Asked>> {
  const expressions = Object.entries(questions).map(
    ([key, question]) => sql`${question} as ${sql.identifier(key)}`,
  )
  const statement = fixedStatement(name, sql`select ${sql.join(expressions, sql`, `)}`)
  const { columns, rows } = await queryTyped(target, statement)
  const [row] = rows
  if (!row) throw new Error(`${name} has no result`)
  // Each column is the answer to the question of its name.
  return toObject(columns, row) as AnswersTo<Asked>
}
