/** The page for an unknown path on a server that has no other; page-routes.test.ts tests it over HTTP. */
import Fastify from 'fastify'
import { expect, it } from 'vitest'
import type { Command } from '../../../src/pages/home-commands.ts'
import type { HomeContent } from '../../../src/pages/home-page.ts'
import { registerNotFound } from '../../../src/pages/not-found-page.ts'
import { Html } from '../../../src/pages/template.ts'

const SITE = { graphiql: false, readKey: null }
const LIST = { title: 'Items', html: new Html('') }

/** @param target that the server receives */
async function get(target: string, content: Pick<HomeContent, 'list' | 'commands'>) {
  const app = Fastify({ rewriteUrl: () => target })
  registerNotFound(app, SITE, { content, restPaths: [] })
  const { statusCode, body } = await app.inject({ url: '/', headers: { accept: 'text/html' } })
  const text = body.replaceAll(/<[^>]*>/g, '')
  return { status: statusCode, body, text }
}

it.each<[Command['target'][], HomeContent['list'], string]>([
  [['rest', 'graphql', 'schema'], LIST, 'Items: what is in the store now, and commands to try both APIs'],
  [['rest', 'schema'], LIST, 'Items: what is in the store now, and commands to try the REST API'],
  [['rest', 'schema'], null, 'Home page: commands to try the REST API'],
  [['graphql', 'rest'], null, 'Home page: commands to try both APIs'],
  [['graphql'], null, 'Home page: commands to try the GraphQL API'],
  [[], LIST, 'Items: what is in the store now\n'],
])('a home page with the commands %j and the list %j is described', async (targets, list, expected) => {
  const commands = targets.map((target) => ({ name: target, title: target, target }))
  const { status, text } = await get('/unknown', { list, commands })
  expect(status).toBe(404)
  expect(text).toContain(expected)
})

it.each([
  ['http://a', './favicon.svg'],
  ['http://a?x=1', './favicon.svg'],
  ['http://a/b/c', '.././favicon.svg'],
])('links are relative to the path of %s', async (target, icon) => {
  const { status, body } = await get(target, { list: null, commands: [] })
  expect(status).toBe(404)
  expect(body).toContain(`href="${icon}"`)
})
