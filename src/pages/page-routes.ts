/** The routes of all pages except GraphiQL, of the published contract, and of unknown paths. */
import type { FastifyInstance, RouteHandlerMethod } from 'fastify'
import { JSON_TYPE } from '../http/headers.ts'
import { CONTRACT_PATH } from '../http/known-paths.ts'
import { registerPublicRoute } from '../http/methods.ts'
import { registerDocs } from './docs-page.ts'
import { type HomeOptions, registerHome } from './home-page.ts'
import { registerNotFound } from './not-found-page.ts'
import { registerFiles } from './page-files.ts'
import type { Site } from './render-page.ts'
import type { DocsSettings } from './settings.ts'

interface PagesOptions extends HomeOptions {
  site: Site
  contract: { servers: { url: string }[]; paths: object }
  equivalents: DocsSettings['equivalents']
}

export function registerPages(
  app: FastifyInstance,
  { site, contract, equivalents, ...home }: PagesOptions,
): void {
  // The contract is public as the pages are, and is what the docs page shows.
  const published = Buffer.from(JSON.stringify(contract))
  const sendContract: RouteHandlerMethod = (_, reply) =>
    reply.type(JSON_TYPE).header('cache-control', 'no-cache').send(published)
  registerPublicRoute(app, CONTRACT_PATH, sendContract, { api: 'rest' })
  registerFiles(app)
  registerHome(app, site, home)
  registerDocs(app, site, contract.servers, equivalents)
  registerNotFound(app, site, home.content.list, Object.keys(contract.paths))
}
