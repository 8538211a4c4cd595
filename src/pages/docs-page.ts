/** The contract as a page for people, with Scalar. It loads everything from this server. */
import type { FastifyInstance } from 'fastify'
import { CONTRACT_PATH, DOCS_PATH } from '../http/known-paths.ts'
import { registerPublicRoute } from '../http/methods.ts'
import { createDocsPolicy } from './content-security-policy.ts'
import { LIBRARIES } from './page-files.ts'
import { createPageHandler } from './page-handler.ts'
import type { PageContent, Site } from './render-page.ts'
import type { DocsSettings } from './settings.ts'

interface DocsOptions {
  /** Those of the contract, which requests tried on the page go to. */
  servers: readonly { url: string }[]
  equivalents: DocsSettings['equivalents']
}

export function registerDocs(app: FastifyInstance, site: Site, options: DocsOptions): void {
  const { servers, equivalents } = options
  const content: PageContent = {
    settings: { page: 'docs', contract: `.${CONTRACT_PATH}`, equivalents },
    values: { library: LIBRARIES.scalar },
  }
  const origins = servers.flatMap(({ url }) => URL.parse(url)?.origin ?? [])
  const sendPage = createPageHandler(site, content, createDocsPolicy(origins))
  registerPublicRoute(app, DOCS_PATH, sendPage)
  // The address is relative, for a proxy that adds a prefix.
  registerPublicRoute(app, `${DOCS_PATH}/`, (_, reply) => reply.redirect(`..${DOCS_PATH}`, 308))
}
