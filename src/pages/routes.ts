import type { FastifyInstance, FastifyRequest } from 'fastify'
import { ServiceError } from '../base/errors.ts'
import { applyError } from '../http/error-body.ts'
import { acceptedTypes, addVary } from '../http/headers.ts'
import { CONTRACT_PATH, GRAPHQL_PATH, registerPublicRoute, REST_PREFIX } from '../http/routes.ts'
import { StaticContent } from '../http/static-content.ts'
import { registerDocs } from './docs.ts'
import { type Assets, registerAssets } from './files.ts'
import { type HomeOptions, registerHome } from './home.ts'
import { HTML, pagePolicy, renderPage } from './page.ts'

/**
 * Adds routes for all pages except GraphiQL, for the published contract, and for unknown paths.
 * @returns the files that GraphiQL's page needs, too
 */
export function registerPages(
  app: FastifyInstance,
  { contract, ...options }: Omit<HomeOptions, 'assets'> & { contract: { servers: { url: string }[] } },
): Assets {
  const content = new StaticContent('application/json; charset=utf-8', JSON.stringify(contract))
  registerPublicRoute(app, CONTRACT_PATH, (request, reply) =>
    content.send(request, reply.header('cache-control', 'no-cache')),
  )
  const home = { ...options, assets: registerAssets(app, options.content.script) }
  registerHome(app, home)
  registerDocs(app, contract.servers, home)
  registerNotFound(app, home)
  return home.assets
}

/** The deepest path with a page, since the links of a page grow with its depth. */
const MAX_DEPTH = 20

/** 404 for an unknown path: a page with links for a browser, the Error body for other clients and everywhere below the APIs. */
function registerNotFound(app: FastifyInstance, { graphiql, assets }: HomeOptions): void {
  app.setNotFoundHandler(async (request, reply) => {
    const error = new ServiceError('NOT_FOUND')
    addVary(reply, 'Accept')
    const depth = depthOf(request)
    if (!prefersHtml(request) || isBelowApi(request) || depth > MAX_DEPTH) throw error
    applyError(error, request, reply)
    const root = '../'.repeat(depth)
    const page = renderPage({
      title: 'Not found: Pet Store',
      graphiql,
      styles: [(await assets())['page.css']],
      root,
      body: `<main class="site-main">
<h1>Not found</h1>
<p>There is nothing at this address. <a href="${root}.">Start here</a>, or see the <a href="${root}docs">documentation</a>.</p>
</main>`,
    })
    reply.headers({ 'content-security-policy': pagePolicy(), 'referrer-policy': 'no-referrer' })
    return reply.type(HTML).send(page)
  })
}

function prefersHtml({ method, headers }: FastifyRequest): boolean {
  const isRead = method === 'GET' || method === 'HEAD'
  return isRead && acceptedTypes(headers.accept, ['application/json', 'text/html'])[0] === 'text/html'
}

function isBelowApi({ url }: FastifyRequest): boolean {
  return [REST_PREFIX, GRAPHQL_PATH].some((path) => url.startsWith(`${path}/`))
}

/** The number of folders in the path, as a browser counts them. */
function depthOf({ url }: FastifyRequest): number {
  const [path = ''] = url.split(/[?#]/, 1)
  return path.split('/').length - 2
}
