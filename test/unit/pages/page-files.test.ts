import Fastify from 'fastify'
import { expect, it } from 'vitest'
import { registerFiles } from '../../../src/pages/page-files.ts'

it.each(['1.72.1', '2.0.0-beta.1'])('the files of version %s of a library have a route', async (version) => {
  const app = Fastify()
  registerFiles(app)
  await app.ready()
  // A file that does not exist is 404 in both cases; only the route has a method that is not allowed.
  const { statusCode } = await app.inject({ method: 'POST', url: `/files/libraries/scalar-${version}/a.js` })
  expect(statusCode).toBe(405)
})
