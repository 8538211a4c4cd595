import Fastify from 'fastify'
import { expect, it } from 'vitest'
import { allowOrigins } from '../../../src/http/cors.ts'

const shop = 'https://shop.example'

it.each<['*' | string[], string | undefined, object]>([
  ['*', shop, { allow: '*', vary: undefined }],
  ['*', undefined, { allow: '*', vary: undefined }],
  [[shop], shop, { allow: shop, vary: 'Origin' }],
  [[shop, 'https://b.example'], 'https://b.example', { allow: 'https://b.example', vary: 'Origin' }],
  [[shop], 'https://evil.example', { allow: undefined, vary: 'Origin' }],
  [[shop], undefined, { allow: undefined, vary: 'Origin' }],
  [[], shop, { allow: undefined, vary: undefined }],
])('if %j may read answers, a request from %s gets %j', async (origins, origin, expected) => {
  const app = Fastify()
  allowOrigins(app, origins)
  app.get('/', async () => ({}))
  const { headers } = await app.inject({ url: '/', headers: origin === undefined ? {} : { origin } })
  const { 'access-control-allow-origin': allow, vary } = headers
  expect({ allow, vary }).toEqual(expected)
  expect('access-control-expose-headers' in headers).toBe(origins.length > 0)
})
