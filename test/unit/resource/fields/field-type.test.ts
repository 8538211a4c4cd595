import { describe, expect, it } from 'vitest'
import { expectedTextInstead, INVALID } from '../../../../src/resource/fields/field-type.ts'
import type { Field } from '../../../../src/resource/fields/resource.ts'
import { type Crate, crateResource } from '../../../support/crates.ts'

function fieldOf(name: keyof Crate): Field {
  const field = crateResource.fields.find((field) => field.name === name)
  if (!field) throw new Error(`There is no field ${name}`)
  return field
}

describe('a text', () => {
  it.each(['', 'books', '\u0001', '🐕', '\uffff', '\u{10ffff}'])('is valid: %j', (text) => {
    expect(expectedTextInstead(text)).toBeNull()
    expect(fieldOf('note').expectedInstead(text)).toBeNull()
  })

  it.each(['\0', 'a\0b', '\ud800', 'a\udfff', '\udc15\ud83d'])('is invalid: %j', (text) => {
    const expected = 'a string without U+0000 and without lone surrogates'
    expect(expectedTextInstead(text)).toBe(expected)
    expect(fieldOf('note').expectedInstead(text)).toBe(expected)
  })
})

describe('a value of JSON', () => {
  it.each<[keyof Crate, unknown, unknown]>([
    ['ownerId', 9223372036854775807n, '9223372036854775807'],
    ['size', 'large', 'large'],
    ['size', null, null],
    ['note', '', ''],
  ])('%s may be %o', (name, value, expected) => {
    expect(fieldOf(name).read(value)).toBe(expected)
    expect(fieldOf(name).readColumn(value)).toBe(expected)
  })

  it.each<[keyof Crate, unknown]>([
    ['ownerId', '7'],
    ['ownerId', 7.5],
    ['ownerId', 9223372036854775808n],
    ['label', null],
    ['size', 'huge'],
    ['note', 7n],
    ['note', undefined],
  ])('%s must not be %o', (name, value) => expect(fieldOf(name).read(value)).toBe(INVALID))
})
