import { readFileSync } from 'node:fs'
import { buildSchema, getVariableValues, Kind, parse, validate } from 'graphql'
import { expect, it } from 'vitest'
import { petsOnHomePage, SAMPLE_TABS } from '../../../src/pets/pets-on-pages.ts'
import { PAGE_SIZE } from '../../../src/resource/lists/page-size.ts'

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
  expect(petsOnHomePage.list).not.toContain('{{')
  expect(petsOnHomePage.list).toContain(`data-largest-page="${PAGE_SIZE.maximum}"`)
})
