import type { Problem } from '../../base/errors.ts'

export const IDEMPOTENCY_KEY_DESCRIPTION =
  'Makes retries safe: for 24 hours, a request with the same API key, idempotency key and input gets the first answer ' +
  'again. 1 to 255 visible ASCII characters, such as `3f1c5d0e-6a0f-4f0e-9a51-0d2f6c1f7b11`.'

export function checkIdempotencyKey(key: string | null | undefined): Problem | null {
  if (key == null || /^[\x21-\x7e]{1,255}$/.test(key)) return null
  const message = 'The idempotency key must be 1 to 255 visible ASCII characters.'
  return { argument: 'idempotencyKey', message }
}
