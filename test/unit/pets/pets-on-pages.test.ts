import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { buildSchema, getVariableValues, Kind, parse, validate } from 'graphql'
import { expect, it } from 'vitest'
import * as operations from '../../../src/pets/assets/pet-operations.js'
import { petStatus } from '../../../src/pets/pet-resource.ts'
import { readPetSamples, readPetsOnHomePage } from '../../../src/pets/pets-on-pages.ts'
import { compileSchema } from '../../support/openapi.ts'

const content = readPetsOnHomePage()
const schema = buildSchema(readFileSync(new URL('../../../schema/schema.graphql', import.meta.url), 'utf8'))

it.each(readPetSamples())(
  'the document of a tab is valid, with its variables: $query',
  ({ query, variables }) => {
    const document = parse(query)
    expect(validate(schema, document)).toEqual([])

    const values = JSON.parse(variables ?? '{}') as Record<string, unknown>
    for (const definition of document.definitions) {
      if (definition.kind !== Kind.OPERATION_DEFINITION) continue
      expect(getVariableValues(schema, definition.variableDefinitions ?? [], values)).not.toHaveProperty(
        'errors',
      )
    }
  },
)

it('the list on the home page has all values of the server', () => {
  for (const status of petStatus.enumValues) {
    expect(content.list?.html.text).toContain(`<option>${status}</option>`)
    expect(content.list?.html.text).toContain(`name="status" value="${status}"`)
  }
})

it.each(petStatus.enumValues)('the status %s has a colour', (status) => {
  const styles = readFileSync(join(import.meta.dirname, '../../../src/pets/assets/pets.css'), 'utf8')
  expect(styles).toContain(`.pet-status.${status} {`)
})

const scripts = globSync(join(import.meta.dirname, '../../../src/pets/assets/*.js')).map((file) =>
  readFileSync(file, 'utf8'),
)

it.each(Object.values(operations))('a script sends a valid operation: %s', (text) => {
  expect(validate(schema, parse(text))).toEqual([])
})

it('each operation that a script sends has its own types', () => {
  const declared =
    /Operation<Types\.(\w+), Types\.(\w+)>\} \*\/\nexport const \w+ = \/\* GraphQL \*\/ `\s+(\w+) (\w+)/g
  const found = [...scripts.join('').matchAll(declared)]
  expect(found).toHaveLength(Object.keys(operations).length)
  for (const [, data, variables, kind = '', name = ''] of found) {
    const type = name + kind.charAt(0).toUpperCase() + kind.slice(1)
    expect([data, variables]).toEqual([type, `${type}Variables`])
  }
})

/** The commands as they are copied, while the list has no filter, and while it has one. */
const copied = ['', 'sold'].flatMap((status) =>
  content.commands.map(({ name, path = '', options = [] }) => ({
    name,
    text: [path, ...options]
      .join(' ')
      .replaceAll(/‹([^›]*)›/g, (_, text: string) => status && text.replace('*', status)),
  })),
)
/** The bodies of requests in them. */
const bodies = copied.flatMap(({ name, text }) => {
  const [, body] = /-d '([^']*)'/.exec(text) ?? []
  return body === undefined ? [] : [[name, JSON.parse(body) as { query?: string }] as const]
})

const isNewPet = compileSchema('NewPet')

it.each(bodies)('the command %s has a valid body: %j', (_, { query, ...input }) => {
  if (query === undefined) expect(isNewPet(input)).toBe(true)
  else expect(validate(schema, parse(query))).toEqual([])
})
