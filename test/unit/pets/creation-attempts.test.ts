import { expect, it } from 'vitest'
import { CreationAttempts } from '../../../src/pets/assets/creation-attempts.js'

const failure = (isUncertain: boolean) => ({ isUncertain })

it('all attempts to create a pet have one key, until it has been created', () => {
  const attempts = new CreationAttempts()
  const first = attempts.begin('Rex')
  expect(attempts.begin('Luna').idempotencyKey).not.toBe(first.idempotencyKey)
  for (const isUncertain of [true, false]) {
    attempts.end(first, 'key', failure(isUncertain))
    expect(attempts.begin('Rex')).toBe(first)
  }
  expect(attempts.end(first, 'key', undefined)).toBe('created')
  expect(attempts.begin('Rex').idempotencyKey).not.toBe(first.idempotencyKey)
})

it('after an uncertain attempt, the same API key may have created the pet, whatever the next failure says', () => {
  const attempts = new CreationAttempts()
  const rex = attempts.begin('Rex')
  expect(attempts.end(rex, 'key', failure(false))).toBe('failed')
  expect(attempts.end(rex, 'key', failure(true))).toBe('uncertain')
  expect(attempts.end(rex, 'key', failure(false))).toBe('uncertain')
  expect(attempts.end(rex, 'other', failure(false))).toBe('failed')
  expect(attempts.end(attempts.begin('Luna'), 'key', failure(false))).toBe('failed')
})

it('of two requests for a pet, one that has created it outweighs the failure of the other', () => {
  for (const order of [
    [undefined, failure(true)],
    [failure(true), undefined],
  ]) {
    const attempts = new CreationAttempts()
    const requests = order.map((failure) => ({ attempt: attempts.begin('Rex'), failure }))
    const outcomes = requests.map(({ attempt, failure }) => attempts.end(attempt, 'key', failure))
    expect(outcomes.at(-1)).toBe('created')
  }
})

it('a pet that is created again is another attempt, also while a request for the first is in flight', () => {
  const attempts = new CreationAttempts()
  const first = attempts.begin('Rex')
  attempts.end(first, 'key', undefined)
  const second = attempts.begin('Rex')
  attempts.end(first, 'key', undefined)
  expect(attempts.begin('Rex')).toBe(second)
})
