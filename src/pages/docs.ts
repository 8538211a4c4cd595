/** The contract as a page for people, with Scalar. It loads everything from this server. */
import Fastify, { type FastifyInstance } from 'fastify'
import { CONTRACT_PATH, DOCS_PATH, registerPublicRoute } from '../http/routes.ts'
import { registerFiles } from './files.ts'
import type { HomeOptions } from './home.ts'
import { CHANGE_KEY_BUTTON, createPage, pagePolicy, renderKeyForm, renderPage } from './page.ts'

export const DOCS_FILES = {
  folder: DOCS_PATH,
  load: async () => ({ 'scalar.js': await loadScalar() }),
}

/** @param servers those of the contract, which requests tried on the page go to */
export function registerDocs(
  app: FastifyInstance,
  servers: readonly { url: string }[],
  { graphiql, readKey, assets }: Pick<HomeOptions, 'graphiql' | 'readKey' | 'assets'>,
): void {
  const libraries = registerFiles(app, DOCS_FILES)
  const origins = servers.flatMap(({ url }) => URL.parse(url)?.origin ?? [])
  const sendPage = createPage({
    policy: pagePolicy({
      // Scalar positions its parts with style attributes. The other directives limit what styles may load.
      'style-src': `'self' 'unsafe-inline'`,
      'connect-src': [`'self'`, ...new Set(origins)].join(' '),
      'img-src': `'self' data:`,
    }),
    readKey,
    render: async (key) => {
      const files = await assets()
      return renderPage({
        title: 'Pet Store: REST API',
        current: 'docs',
        graphiql,
        styles: [files['page.css'], files['docs.css']],
        scripts: [files['docs.js']],
        library: (await libraries())['scalar.js'],
        settings: { contract: `.${CONTRACT_PATH}`, key },
        bar: CHANGE_KEY_BUTTON,
        body: `<noscript>This page needs JavaScript.</noscript>
<main class="site-main" id="key-page" hidden>
<h1>API key</h1>
<p>The requests that you try on this page are sent with this key. The browser forgets it when you close this page.</p>
${renderKeyForm({ submit: 'Use this key', isDemo: readKey !== null })}
</main>
<div id="docs"></div>`,
      })
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
