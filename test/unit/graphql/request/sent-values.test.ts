import { expect, it } from 'vitest'
import { listSentValues, printPath } from '../../../../src/graphql/request/sent-values.ts'

const pathOf = (variables: Record<string, unknown>) => {
  const sent = listSentValues('variables', variables).at(-1)
  return sent && printPath(sent)
}

it('a path has the keys of objects and the indexes of lists', () => {
  expect(pathOf({ input: { tags: [{ name: 'x' }] } })).toBe('input.tags[0].name')
})

it.each([
  ['at its end, a long one is whole', { ['a'.repeat(200)]: 1 }, 'a'.repeat(200)],
  ['one that goes on says so', { ['a'.repeat(200)]: { b: { c: 1 } } }, `${'a'.repeat(200)}…`],
])('a path does not name another value than it is of: %s', (_, variables, path) => {
  expect(pathOf(variables)).toBe(path)
})
