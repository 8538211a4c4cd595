import { describe, expect, it } from 'vitest'
import { readApiKeys } from '../../../src/config/api-keys-config.ts'
import { Environment } from '../../../src/config/environment.ts'

describe('API_KEYS', () => {
  /** The keys, or the invalid ones. */
  const read = (text: string) => {
    const env = new Environment({ API_KEYS: text })
    const keys = readApiKeys(env)
    const invalid = env.problems.map((problem) => problem.replace(/, (must|repeats) .*/, ','))
    return invalid.length > 0 ? { invalid } : keys
  }
  const secret = 'abcXYZ019-._~+/='

  it.each([
    ['', []],
    [`ann:${secret}==`, [{ name: 'ann', secret: `${secret}==`, scope: 'write' }]],
    [`${'n'.repeat(64)}:${secret}`, [{ name: 'n'.repeat(64), secret, scope: 'write' }]],
    [`ann:${secret}:read`, [{ name: 'ann', secret, scope: 'read' }]],
    [`ann:${secret}:write`, [{ name: 'ann', secret, scope: 'write' }]],
    [
      `a-b_c.1:1${secret} , a-b_c.1:2${secret}:read,bob:3${secret}`,
      [
        { name: 'a-b_c.1', secret: `1${secret}`, scope: 'write' },
        { name: 'a-b_c.1', secret: `2${secret}`, scope: 'read' },
        { name: 'bob', secret: `3${secret}`, scope: 'write' },
      ],
    ],
  ])('may be %j', (text, keys) => expect(read(text)).toEqual(keys))

  it.each([
    ...[secret, `:${secret}`, 'ann:', 'ann:fifteen-letters', `${'n'.repeat(65)}:${secret}`, `a b:${secret}`],
    ...[`ann:${secret} x`, `ann:${secret}x`, `ann:${'='.repeat(16)}`, `ann:é${secret}`, `ann:${secret}:`],
    ...[`ann:${secret}:READ`, `ann:${secret}:admin`, `ann:${secret}:read:read`],
  ])('may not be %j', (text) => expect(read(text)).toEqual({ invalid: ['API_KEYS, key 1 of 1,'] }))

  it.each([
    [`ann:${secret},`, ['API_KEYS, key 2 of 2,']],
    [`ann:${secret},bob:${secret}:read`, ['API_KEYS, key 2 of 2,']],
    [`x,ann:${secret},y`, ['API_KEYS, key 1 of 3,', 'API_KEYS, key 3 of 3,']],
  ])('each key that is invalid is named: %j', (text, invalid) => expect(read(text)).toEqual({ invalid }))
})
