import Fastify from 'fastify'
import { expect, it } from 'vitest'
import { registerFiles } from '../../../src/pages/page-files.ts'

it.each([
  ['version 1.72.1 of a library', 'libraries/scalar-1.72.1/a.js'],
  ['version 2.0.0-beta.1 of a library', 'libraries/scalar-2.0.0-beta.1/a.js'],
  ['a part of the assets', 'pages/assets/home/home.js'],
  ['a resource with a hyphen', 'store-orders/assets/order-list.js'],
])('a file of %s has a route', async (_, path) => {
  const app = Fastify()
  registerFiles(app)
  await app.ready()
  // A file that does not exist is 404 in both cases; only the route has a method that is not allowed.
  const { statusCode } = await app.inject({ method: 'POST', url: `/files/${path}` })
  expect(statusCode).toBe(405)
})
