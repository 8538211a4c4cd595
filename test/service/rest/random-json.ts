/** Random JSON texts that match a schema of the contract, and texts that do not. */
import fc from 'fast-check'
import type { Schema } from '../../../src/rest/contract.ts'

const anyJson = fc.json({ maxDepth: 2 })

export function valid(schema: Schema): fc.Arbitrary<string> {
  if (schema.enum) return fc.constantFrom(...schema.enum).map((value) => JSON.stringify(value))
  if (schema.type === 'integer') return fc.bigInt(rangeOf(schema)).map(String)
  if (schema.type === 'string') {
    return fc
      .string({ unit: 'binary' })
      .filter((text) => !text.includes('\0'))
      .map((text) => JSON.stringify(text))
  }
  const required = new Set(schema.required as string[])
  const fields = Object.entries(schema.properties ?? {}).map(([name, property]) => {
    const field = valid(property).map((value) => `${JSON.stringify(name)}:${value}`)
    return required.has(name) ? field : fc.option(field)
  })
  return fc.tuple(...fields).map((members) => `{${members.filter((member) => member !== null).join()}}`)
}

function rangeOf({ format, minimum, maximum }: Schema): { min: bigint; max: bigint } {
  const bound = format === 'int64' ? 2n ** 63n : 2n ** 31n
  return { min: BigInt(minimum ?? -bound), max: BigInt(maximum ?? bound - 1n) }
}

export function invalid(schema: Schema): fc.Arbitrary<string> {
  const isAllowed = (value: unknown) => typeof value === 'string' && schema.enum?.includes(value)
  if (schema.enum) return anyJson.filter((text) => !isAllowed(JSON.parse(text)))
  if (schema.type === 'integer') {
    const { min, max } = rangeOf(schema)
    const beyond = fc.oneof(fc.bigInt({ min: max + 1n }), fc.bigInt({ max: min - 1n })).map(String)
    return fc.oneof(
      beyond,
      anyJson.filter((text) => typeof JSON.parse(text) !== 'number'),
      fc.constantFrom('0.5', '-1e-1', '1e99'),
    )
  }
  if (schema.type === 'string') return anyJson.filter((text) => !text.startsWith('"'))
  const properties = Object.entries(schema.properties ?? {})
  const members = (broken: string, text: fc.Arbitrary<string | null>) =>
    fc
      .tuple(
        ...properties.map(([name, property]) =>
          (name === broken ? text : valid(property)).map((value) =>
            value === null ? null : `"${name}":${value}`,
          ),
        ),
      )
      .map((list) => `{${list.filter((member) => member !== null).join()}}`)
  const wrong = properties.map(([name, property]) => members(name, invalid(property)))
  const missing = (schema.required as string[]).map((name) => members(name, fc.constant(null)))
  return fc.oneof(
    ...wrong,
    ...missing,
    anyJson.filter((text) => !text.startsWith('{')),
  )
}
