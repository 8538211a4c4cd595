import { is, Param, Placeholder, type SQL, sql, type SQLWrapper } from 'drizzle-orm'
import { PgDialect } from 'drizzle-orm/pg-core'
import { drizzle } from 'drizzle-orm/pg-proxy'

/** A statement that is ready to be sent. */
export interface Statement {
  /** Its name in metrics and traces. Those of one name that serve several requests, or none, wait in one queue of the pool. */
  name: string
  text: string
  parameters: readonly (string | null)[]
  /** Whether to prepare it. Only for a fixed set of texts, since postgres.js never deallocates. */
  prepare: boolean
  /** Called with the columns of its rows, before these are returned; not called if there are none. Few need them: the others pay nothing. */
  onColumns?: (columns: readonly ResultColumn[]) => void
}

export interface ResultColumn {
  name: string
  /** Its OID. */
  type: number
}

/** A row as Postgres writes it: the text of each column. */
export type TextRow = (string | null)[]

const dialect = new PgDialect()

/** Drizzle's query builder, for the texts of statements, which it cannot run. */
export const queryBuilder = drizzle(() => Promise.reject(new Error('This builds a statement only')))

/** The text of a statement, built once. */
export interface StatementTemplate<Name extends string = string> {
  readonly text: string
  /** The names of its placeholders: of $1, $2 … */
  readonly parameters: readonly string[]
  /** Gives it values, by the names of its placeholders; others are ignored. @throws Error if there is none for one of them */
  with: (values: Readonly<Record<Name, string | null>>) => Statement
}

interface TemplateOptions<Name> {
  prepare?: boolean
  /** The names of all placeholders, if they are known when this is written: `with` takes values for these, and no others. */
  placeholders?: readonly Name[]
}

/**
 * @param query may contain placeholders (see also `placeholder`), but no values
 * @throws Error if it contains a value, other placeholders than said, or a parameter as text
 */
export function statementTemplate<const Name extends string = string>(
  name: string,
  query: SQLWrapper,
  { prepare = true, placeholders: expected }: TemplateOptions<Name> = {},
): StatementTemplate<Name> {
  const { sql: written, params } = dialect.sqlToQuery(query.getSQL())
  const placeholders = params.map((param) => {
    const value: unknown = is(param, Param) ? param.value : param
    if (!is(value, Placeholder)) throw new Error(`${name}: the text of the statement contains a value`)
    return value.name
  })
  // Drizzle numbers the placeholders from $1, in their order; here, those with the same name are one parameter.
  const parameters = [...new Set(placeholders)]
  if (expected && new Set(parameters).symmetricDifference(new Set<string>(expected)).size > 0)
    throw new Error(`${name}: the placeholders are ${parameters.join(', ')}`)
  let count = 0
  const text = written.replaceAll(/\$\d+/g, (number) => {
    const key = placeholders[count]
    count += 1
    if (key === undefined || number !== `$${count}`)
      throw new Error(`${name}: ${number} stands in the text of the statement`)
    return `$${parameters.indexOf(key) + 1}`
  })
  return {
    text,
    parameters,
    with: (values: Readonly<Record<string, string | null>>) => ({
      name,
      text,
      parameters: parameters.map((key) => {
        const value = values[key]
        if (value === undefined) throw new Error(`${name}: ${key} has no value`)
        return value
      }),
      prepare,
    }),
  }
}

/** A placeholder, where its type does not follow from what it is compared with. @param type the Postgres type, such as bigint[] */
export function placeholder(name: string, type: string): SQL {
  return sql`${sql.placeholder(name)}::${sql.raw(type)}`
}

/** A finished statement, a constant or built for one call: texts in the query become its parameters. It is too rare to be worth preparing. */
export function fixedStatement(name: string, query: SQLWrapper): Statement {
  const { sql: text, params } = dialect.sqlToQuery(query.getSQL())
  const parameters = params.map((value) => {
    if (value !== null && typeof value !== 'string') throw new Error(`${name}: a value is not text`)
    return value
  })
  return { name, text, parameters, prepare: false }
}
