import { toArray } from './arrays.ts'

/** SQL as text. */
export interface Statement {
  text: string
  parameters: readonly (string | null)[]
  /**
   * Its text is one of a few, so that it may stay prepared: on every connection, and for good, since postgres.js forgets no
   * prepared statement.
   */
  comesAgain: boolean
}

/** What Postgres wrote of a row: the text of each column. Only of columns that the driver leaves as they are: text, bigint, enums. */
export type TextRow = (string | null)[]

/** The values of a statement, which never stand in its text. */
export class Parameters {
  readonly values: (string | null)[] = []
  readonly types: string[] = []

  /** @returns what stands for the value in the text: $1::bigint, $2::text, … */
  add(value: string | null, type: string): string {
    this.types.push(type)
    return `$${this.values.push(value)}::${type}`
  }
}

/** A query that may be joined with others of the same text. */
export interface Query extends Statement {
  /** Of the parameters. */
  types: readonly string[]
}

/**
 * One statement that answers several queries of one text, each with its own parameters: their rows, one query after the other, with
 * the number of the query as the last column, counted from 1.
 *
 * The plan of a query is that of a prepared one, since Postgres knows no more of the parameters. What is joined so is run by a
 * nested loop, which keeps the order of each query's rows.
 */
export function joinQueries(queries: readonly [Query, ...Query[]]): Statement {
  const [{ text, types, comesAgain }] = queries
  const arrays = types.map((type, index) => `$${index + 1}::${type}[]`)
  const names = types.map((_, index) => `p${index + 1}`)
  return {
    text: `
      select answer.*, number from unnest(${arrays.join(', ')}) with ordinality as asked (${names.join(', ')}, number)
      cross join lateral (${text.replaceAll(/\$(\d+)::/g, 'asked.p$1::')}) as answer`,
    parameters: types.map((_, index) => toArray(queries.map(({ parameters }) => parameters[index] ?? null))),
    comesAgain,
  }
}
