import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { buildSchema, getVariableValues, Kind, parse, validate } from 'graphql'
import { expect, it } from 'vitest'
import { petStatus } from '../../../src/pets/pet-resource.ts'
import { petsOnHomePage, SAMPLE_TABS } from '../../../src/pets/pets-on-pages.ts'
import { PAGE_SIZE } from '../../../src/resource/lists/page-arguments.ts'
import { idsIn } from '../../support/pages.ts'

const schema = buildSchema(readFileSync(new URL('../../../schema/schema.graphql', import.meta.url), 'utf8'))

it.each(SAMPLE_TABS)('the document of a tab is valid, with its variables: $query', ({ query, variables }) => {
  const document = parse(query)
  expect(validate(schema, document)).toEqual([])

  const values = JSON.parse(variables ?? '{}') as Record<string, unknown>
  for (const definition of document.definitions) {
    if (definition.kind !== Kind.OPERATION_DEFINITION) continue
    expect(getVariableValues(schema, definition.variableDefinitions ?? [], values)).not.toHaveProperty(
      'errors',
    )
  }
})

it('the list on the home page has all values of the server', () => {
  const { list } = petsOnHomePage
  expect(list).toContain(`data-largest-page="${PAGE_SIZE.maximum}"`)
  for (const status of petStatus.enumValues) {
    expect(list).toContain(`<option>${status}</option>`)
    expect(list).toContain(`name="status" value="${status}"`)
  }
})

const scripts = globSync(join(import.meta.dirname, '../../../src/pets/assets/*.js')).map((file) =>
  readFileSync(file, 'utf8'),
)

const documents = scripts.flatMap((script) =>
  Array.from(
    script.matchAll(/(['`])((?:query|mutation|subscription)\b[^'`]*\{[^'`]*)\1/g),
    ([, , text = '']) => text,
  ),
)
it.each(documents)('the document that a script sends is valid: %s', (document) => {
  expect(validate(schema, parse(document))).toEqual([])
})

it('each of the operations that scripts send has been found', () => {
  const kinds = documents.map((document) => /^\w+/.exec(document)?.[0])
  expect(kinds.toSorted()).toEqual(['mutation', 'mutation', 'query', 'subscription'])
})

it.each(idsIn(scripts))('the home page has the element #%s, which a script looks for', (id) => {
  const { list, commands } = petsOnHomePage
  const texts = commands.flatMap(({ path, options = [] }) => [path, ...options])
  expect([list, ...texts].join('')).toContain(` id="${id}"`)
})
