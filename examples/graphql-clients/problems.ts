/** What is wrong with the values of a form, by field. */

/** @param errors those of GraphQL, as Apollo Client and urql give them */
export function problemsByField(errors: readonly { extensions?: object }[]): ReadonlyMap<string, string> {
  const problems = errors.flatMap(
    ({ extensions }) =>
      (extensions as { problems?: { argument: string; message: string }[] } | undefined)?.problems ?? [],
  )
  // The field of a list has the problems of its items: `filter.categoryId[0]`. The first of several is enough to go on.
  return new Map(
    problems.reverse().map(({ argument, message }) => [argument.replace(/(\[\d+\])+$/, ''), message]),
  )
}
