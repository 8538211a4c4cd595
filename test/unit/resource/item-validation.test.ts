import { describe, expect, it } from 'vitest'
import { ServiceError } from '../../../src/base/service-error.ts'
import { petResource } from '../../../src/pets/pet-resource.ts'
import { type Field, type NewItem } from '../../../src/resource/resource.ts'
import {
  checkIdempotencyKey,
  checkText,
  readNewItem,
  readPatches,
  readValue,
} from '../../../src/resource/item-validation.ts'
import { crateResource, type Crate } from '../support/crates.ts'

describe('a text', () => {
  it.each([null, undefined, '', 'Rex', '\u0001', '🐕', '\uffff', '\u{10ffff}'])('is valid: %j', (text) => {
    expect(checkText(text)).toBeNull()
  })

  it.each(['\0', 'a\0b', '\ud800', 'a\udfff', '\udc15\ud83d'])('is invalid: %j', (text) => {
    expect(checkText(text)).toBe('a string without U+0000 and without lone surrogates')
    expect(problemsOf(() => readPatches(petResource, { input: { name: text } }))).toEqual([
      {
        argument: 'input.name',
        message: 'name must be a string without U+0000 and without lone surrogates.',
      },
    ])
  })
})

/** What is reported as invalid. */
function problemsOf(read: () => unknown): ServiceError['problems'] {
  try {
    read()
    return []
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'INVALID_VALUE') return error.problems
    throw error
  }
}

function fieldOf(name: keyof Crate): Field {
  const field = crateResource.fields.find((field) => field.name === name)
  if (!field) throw new Error(`There is no field ${name}`)
  return field
}

describe('what a client creates', () => {
  const sent = { ownerId: '7', count: 2 } as NewItem<Crate>

  it('has the defaults of what is left out or null', () => {
    const expected = { ownerId: '7', count: 2, isOpen: false, size: null, note: null, weight: 1 }
    expect(readNewItem(crateResource, sent, 'input')).toEqual(expected)
    expect(readNewItem(crateResource, { ...sent, isOpen: null, note: null, weight: null }, 'input')).toEqual(
      expected,
    )
  })

  it('keeps false, zero and the empty text', () => {
    const values = { ownerId: '0', count: 0, isOpen: false, size: null, note: '', weight: 0 }
    expect(readNewItem(crateResource, values, 'input')).toEqual(values)
  })

  it('is checked by the rules of its fields, and with other problems', () => {
    const other = { argument: 'key', message: 'bad' }
    const invalid = { ...sent, count: -1, weight: -1 }
    expect(problemsOf(() => readNewItem(crateResource, invalid, 'input', [other]))).toEqual([
      { argument: 'input.count', message: 'count must be an integer of 0 or more.' },
      { argument: 'input.weight', message: 'weight must be an integer from 0 to 2147483647.' },
      other,
    ])
  })
})

describe('what a client updates', () => {
  it('is what it sent, including null and false', () => {
    expect(readPatches(crateResource, { input: {}, expected: null })).toEqual({ input: {}, expected: {} })
    const patch = { isOpen: false, note: null, count: 0 }
    expect(readPatches(crateResource, { input: { ...patch, size: undefined } })).toEqual({ input: patch })
  })

  it('is checked by the rules of its fields, and must not be null where a value cannot be unset, even with a default', () => {
    const patches = {
      input: { count: null, weight: null, isOpen: null, size: null },
      expected: { count: null, weight: -1 },
    }
    expect(problemsOf(() => readPatches(crateResource, patches))).toEqual([
      { argument: 'input.count', message: 'count must not be null.' },
      { argument: 'input.isOpen', message: 'isOpen must not be null.' },
      { argument: 'input.weight', message: 'weight must not be null.' },
      { argument: 'expected.count', message: 'count must not be null.' },
      { argument: 'expected.weight', message: 'weight must be an integer from 0 to 2147483647.' },
    ])
  })
})

describe('a value of JSON', () => {
  it.each<[keyof Crate, unknown, unknown]>([
    ['ownerId', 9223372036854775807n, '9223372036854775807'],
    ['count', 2147483647n, 2147483647],
    ['count', -2147483648, -2147483648],
    ['weight', 0n, 0],
    ['isOpen', false, false],
    ['size', 'large', 'large'],
    ['size', null, null],
    ['note', '', ''],
  ])('%s may be %o', (name, value, expected) => expect(readValue(fieldOf(name), value)).toBe(expected))

  it.each<[keyof Crate, unknown]>([
    ['ownerId', '7'],
    ['ownerId', 7.5],
    ['ownerId', 9223372036854775808n],
    ['count', 2147483648n],
    ['count', -2147483649n],
    ['count', 1.5],
    ['count', '1'],
    ['count', null],
    ['weight', -1n],
    ['weight', 2147483648n],
    ['isOpen', 'true'],
    ['isOpen', 1n],
    ['size', 'huge'],
    ['note', 7n],
    ['note', undefined],
  ])('%s must not be %o', (name, value) => expect(readValue(fieldOf(name), value)).toBeUndefined())
})

describe('an idempotency key', () => {
  it.each([null, undefined, '!', '~', 'a', 'x'.repeat(255)])('is valid: %j', (key) => {
    expect(checkIdempotencyKey(key)).toBeNull()
  })

  it.each(['', ' ', 'a b', 'é', '\x7f', 'a\n', 'x'.repeat(256)])('is invalid: %j', (key) => {
    expect(checkIdempotencyKey(key)).toMatchObject({ argument: 'idempotencyKey' })
  })
})
