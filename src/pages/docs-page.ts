/** The contract as a page for people, with Scalar. It loads everything from this server. */
import Fastify, { type FastifyInstance } from 'fastify'
import { DOCS_PATH } from '../http/known-paths.ts'
import { registerPublicRoute } from '../http/methods.ts'
import { registerFiles } from './page-files.ts'
import { createPage, pagePolicy, renderPage, type Site } from './page.ts'

export const DOCS_FILES = {
  folder: DOCS_PATH,
  load: async () => ({ 'scalar.js': await loadScalar() }),
}

/** @param servers those of the contract, which requests tried on the page go to */
export function registerDocs(app: FastifyInstance, site: Site, servers: readonly { url: string }[]): void {
  const libraries = registerFiles(app, DOCS_FILES)
  const origins = servers.flatMap(({ url }) => URL.parse(url)?.origin ?? [])
  const sendPage = createPage({
    policy: pagePolicy({
      // Scalar positions its parts with style attributes. The other directives limit what styles may load.
      'style-src': `'self' 'unsafe-inline'`,
      'connect-src': [`'self'`, ...new Set(origins)].join(' '),
      'img-src': `'self' data:`,
    }),
    readKey: site.readKey,
    render: async (key) => {
      const places = { library: await libraries() }
      return renderPage('docs.html', site, { current: 'docs', settings: { key }, places })
    },
  })
  registerPublicRoute(app, DOCS_PATH, sendPage)
  // Relative, for a proxy that adds a prefix.
  registerPublicRoute(app, `${DOCS_PATH}/`, (_, reply) => reply.redirect(`..${DOCS_PATH}`, 308))
}

/**
 * Scalar's script. Its Fastify plugin can only serve it, uncompressed, so it is requested once from a server that never listens.
 */
async function loadScalar(): Promise<string> {
  const { default: scalar } = await import('@scalar/fastify-api-reference')
  const app = Fastify()
  await app.register(scalar, { routePrefix: '/scalar', configuration: { url: '/' } })
  const { statusCode, body } = await app.inject('/scalar/js/scalar.js')
  await app.close()
  if (statusCode !== 200) throw new Error(`Scalar's script cannot be read: ${statusCode}`)
  return body
}
