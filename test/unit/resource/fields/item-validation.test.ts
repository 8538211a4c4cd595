import { describe, expect, it } from 'vitest'
import { ServiceError } from '../../../../src/base/service-error.ts'
import { readNewItem, readPatches } from '../../../../src/resource/fields/item-validation.ts'
import type { NewItem } from '../../../../src/resource/fields/resource.ts'
import { crateResource, type Crate } from '../../../support/crates.ts'

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

describe('what a client creates', () => {
  const input = { ownerId: '7', label: 'books' } as NewItem<Crate>
  const complete = { ...input, size: null, note: null, unit: 'piece' }

  it('has the defaults of what is left out or null', () => {
    expect(readNewItem(crateResource, input, 'input')).toEqual(complete)
    expect(readNewItem(crateResource, { ...input, note: null, unit: null }, 'input')).toEqual(complete)
  })

  it('keeps the empty text', () => {
    const values = { ownerId: '0', label: '', size: null, note: '', unit: '' }
    expect(readNewItem(crateResource, values, 'input')).toEqual(values)
  })

  it('is checked by the columns of its fields, and with other problems', () => {
    const other = { argument: 'key', message: 'bad' }
    const invalid = { ...input, label: 'x'.repeat(21), note: '\0' }
    expect(problemsOf(() => readNewItem(crateResource, invalid, 'input', [other]))).toEqual([
      { argument: 'input.label', message: 'label must be a string of at most 20 characters.' },
      {
        argument: 'input.note',
        message: 'note must be a string without U+0000 and without lone surrogates.',
      },
      other,
    ])
  })
})

describe('a text of at most 20 characters', () => {
  const read = (label: string) => readNewItem(crateResource, { ownerId: '7', label }, 'input')

  it.each(['x', '🐕'])('may have 20, however many bytes they take: %s', (character) => {
    const label = character.repeat(20)
    expect(read(label)).toMatchObject({ label })
    expect(problemsOf(() => read(label + character))).toMatchObject([{ argument: 'input.label' }])
  })
})

describe('what a client updates', () => {
  it('is what was sent, including null', () => {
    expect(readPatches(crateResource, { input: {}, expected: null })).toEqual({ input: {}, expected: {} })
    const patch = { label: '', note: null }
    expect(readPatches(crateResource, { input: { ...patch, size: undefined } })).toEqual({ input: patch })
  })

  it('is checked by the columns of its fields, and must not be null where a value cannot be unset, even with a default', () => {
    const patches = {
      input: { label: null, unit: null, size: null },
      expected: { ownerId: null, label: 'x'.repeat(21) },
    }
    expect(problemsOf(() => readPatches(crateResource, patches))).toEqual([
      { argument: 'input.label', message: 'label must not be null.' },
      { argument: 'input.unit', message: 'unit must not be null.' },
      { argument: 'expected.ownerId', message: 'ownerId must not be null.' },
      { argument: 'expected.label', message: 'label must be a string of at most 20 characters.' },
    ])
  })
})
