import { GraphQLError, graphql } from 'graphql'
import { schema } from '../../../src/server/schema.ts'
import { createContext } from './context.ts'
import { createFakeDatabase } from './database.ts'

/** Executes a document with graphql-js. @returns its data, and the errors thrown by its resolvers */
export async function execute(source: string, database = createFakeDatabase(), variables: object = {}) {
  const result = await graphql({
    schema,
    source,
    contextValue: createContext(database),
    variableValues: { ...variables },
  })
  return { data: result.data, errors: (result.errors ?? []).map(({ cause }) => cause) }
}

/** An error as graphql-js reports it when a resolver throws. */
export const wrap = (error: Error): GraphQLError =>
  new GraphQLError(error.message, { path: ['pets'], originalError: error })

/** A row with a page of pets with these ids, as the first page of a statement. */
export function pageRow(...ids: number[]): (string | null)[] {
  if (ids.length === 0) return [null, null, null, null, '1']
  const listOf = (item: (id: number) => string) => `{${ids.map(item).join()}}`
  return [listOf(String), listOf(() => 'Rex'), listOf(() => '7'), listOf(() => 'NULL'), '1']
}
