import { expect, it } from 'vitest'
import { CreationAttempts } from '../../../src/pets/assets/creation-attempts.js'

const failure = (isUncertain: boolean) => ({ isUncertain })

it('all attempts to create a pet have one key, until it has been created', () => {
  const attempts = new CreationAttempts()
  const first = attempts.begin('Rex')
  expect(attempts.begin('Luna')).not.toBe(first)
  for (const isUncertain of [true, false]) {
    attempts.end('Rex', 'key', failure(isUncertain))
    expect(attempts.begin('Rex')).toBe(first)
  }
  expect(attempts.end('Rex', 'key', undefined)).toBe(false)
  expect(attempts.begin('Rex')).not.toBe(first)
})

it('after an uncertain attempt, the same API key may have created the pet, whatever the next failure says', () => {
  const attempts = new CreationAttempts()
  attempts.begin('Rex')
  expect(attempts.end('Rex', 'key', failure(false))).toBe(false)
  expect(attempts.end('Rex', 'key', failure(true))).toBe(true)
  expect(attempts.end('Rex', 'key', failure(false))).toBe(true)
  expect(attempts.end('Rex', 'other', failure(false))).toBe(false)
  expect(attempts.end('Luna', 'key', failure(false))).toBe(false)
})
