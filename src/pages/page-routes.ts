/** The routes of all pages except GraphiQL, of their files, and of unknown paths. */
import type { FastifyInstance } from 'fastify'
import { registerDocs } from './docs-page.ts'
import { type HomeOptions, registerHome } from './home-page.ts'
import { registerNotFound } from './not-found-page.ts'
import { registerFiles } from './page-files.ts'
import type { Site } from './render-page.ts'
import type { DocsSettings } from './settings.ts'

interface PagesOptions extends HomeOptions {
  site: Site
  /** What the docs page shows. */
  contract: { servers: readonly { url: string }[]; paths: object }
  equivalents: DocsSettings['equivalents']
}

export function registerPages(app: FastifyInstance, options: PagesOptions): void {
  const { site, content, origin, contract, equivalents } = options
  registerFiles(app)
  registerHome(app, site, { content, origin })
  registerDocs(app, site, { servers: contract.servers, equivalents })
  registerNotFound(app, site, { content, restPaths: Object.keys(contract.paths) })
}
