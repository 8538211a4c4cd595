/** The examples in the contract. Tools show them, and mock servers answer with them. */
import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect, it } from 'vitest'
import { catalogue, type ErrorCode } from '../../src/base/error-catalogue.ts'
import document from '../../src/generated/openapi.json' with { type: 'json' }

type Node = Record<string, unknown>

/** A media type, parameter or header: something with a schema and examples of it. */
interface Illustrated {
  path: string
  schema: Node
  examples: unknown[]
  isRequestHeader: boolean
}

const ajv = new Ajv2020({
  strict: false,
  formats: { int64: { type: 'number', validate: Number.isSafeInteger } },
})
const seen = new Set<string>()
const illustrated = [...findIllustrated(document, '')]

it.each(illustrated.filter(({ isRequestHeader }) => !isRequestHeader))(
  '$path has examples that its schema allows',
  ({ schema, examples }) => {
    expect(examples).not.toEqual([])
    const isValid = ajv.compile({ ...schema, components: document.components })
    for (const example of examples) expect(isValid(example), ajv.errorsText(isValid.errors)).toBe(true)
  },
)

// The page at /docs sends each example: with that of a key, a second attempt would create no pet, and another pet would get 422.
it.each(illustrated.filter(({ isRequestHeader }) => isRequestHeader))('$path has no example', (header) => {
  expect(header.examples).toEqual([])
})

const errors = illustrated.flatMap(({ path, examples }) => {
  const [, status] = /responses\/([45]\d\d)\/content/.exec(path) ?? []
  return status ? examples.map((example) => ({ path, status: Number(status), example })) : []
})

it.each(errors)('$path has the status of its response, and a code and message of the service', (error) => {
  const { code, message } = error.example as { code: ErrorCode; message: string }
  expect(error.example).toHaveProperty('status', error.status)
  expect(catalogue[code]).toHaveProperty('status', error.status)
  // The messages for invalid values name the value.
  if (code !== 'INVALID_VALUE') expect(message).toBe(catalogue[code].message)
})

/** Everything in the paths that has a schema, except the parts of schemas. */
function* findIllustrated(node: unknown, path: string): Generator<Illustrated> {
  if (typeof node !== 'object' || node === null) return
  const { $ref, schema, example, examples = {}, in: location } = node as Node
  if (typeof $ref === 'string') {
    // A header is the same in each response, and a response for each operation.
    const place = `${path.split('/').at(-1)} ${$ref}`
    if (!seen.has(place)) yield* findIllustrated(resolve($ref), path)
    seen.add(place)
  } else if (schema) {
    const values = Object.values(examples as object).map((item: Node) => resolveExample(item))
    const all = example === undefined ? values : [example, ...values]
    yield { path, schema: schema as Node, examples: all, isRequestHeader: location === 'header' }
  } else {
    for (const [key, child] of Object.entries(node)) {
      if (path !== '' || key === 'paths')
        yield* findIllustrated(child, `${path}/${key.replaceAll('/', '~1')}`)
    }
  }
}

function resolveExample(item: Node): unknown {
  return typeof item.$ref === 'string' ? (resolve(item.$ref) as Node).value : item.value
}

function resolve(reference: string): unknown {
  return reference
    .replace(/^#\//, '')
    .split('/')
    .reduce<unknown>((node, step) => (node as Node)[step], document)
}
