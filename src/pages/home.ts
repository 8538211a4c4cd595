/** The page at /: what this is and where to go, as HTML for browsers and as JSON for other clients. */
import type { FastifyInstance } from 'fastify'
import { ServiceError } from '../base/errors.ts'
import { addVary } from '../http/headers.ts'
import { registerPublicRoute } from '../http/methods.ts'
import { acceptedTypes } from '../http/negotiation.ts'
import {
  CONTRACT_PATH,
  DOCS_PATH,
  GRAPHQL_PATH,
  HEALTH_PATH,
  READINESS_PATH,
  REST_PREFIX,
  SDL_PATH,
} from '../http/paths.ts'
import { StaticContent } from '../http/static-content.ts'
import type { Assets } from './assets.ts'
import { createPage, pagePolicy, renderPage } from './page.ts'

export interface HomeOptions {
  /** The address of this server as clients see it, without a slash at the end; empty if it is not configured. */
  origin: string
  /** Whether GraphiQL is served. */
  graphiql: boolean
  /** The API key to fill in for a browser on this machine; null: none. */
  secret: string | null
  assets: Assets
}

export function registerHome(app: FastifyInstance, options: HomeOptions): void {
  const sendPage = createPage({
    policy: pagePolicy({}),
    secret: options.secret,
    render: async (secret) => renderHome(options, await options.assets(), secret),
  })
  const json = new StaticContent('application/json; charset=utf-8', JSON.stringify(describe(options)))

  registerPublicRoute(app, '/', async (request, reply) => {
    addVary(reply, 'Accept')
    const [type] = acceptedTypes(request.headers.accept, ['application/json', 'text/html'])
    if (type === undefined) throw new ServiceError('NOT_ACCEPTABLE')
    if (type === 'text/html') return sendPage(request, reply)
    return json.send(request, reply.header('cache-control', 'private, no-cache'))
  })
}

function describe({ origin, graphiql }: HomeOptions): object {
  return {
    name: 'Pet Store',
    links: {
      rest: `${origin}${REST_PREFIX}`,
      graphql: `${origin}${GRAPHQL_PATH}`,
      docs: `${origin}${DOCS_PATH}`,
      ...(graphiql && { graphiql: `${origin}${GRAPHQL_PATH}` }),
      contract: `${origin}${CONTRACT_PATH}`,
      sdl: `${origin}${SDL_PATH}`,
      health: `${origin}${HEALTH_PATH}`,
      readiness: `${origin}${READINESS_PATH}`,
    },
  }
}

function renderHome(options: HomeOptions, files: Awaited<ReturnType<Assets>>, secret: string | null): string {
  const { graphiql } = options
  // Otherwise the script fills in the address of the page.
  const origin = options.origin || '{origin}'
  const key = secret ?? '$API_KEY'
  const authorization = `-H "Authorization: Bearer ${key}"`
  const rest = [`curl '${origin}${REST_PREFIX}/pets?limit=3'`, authorization]
  const graphql = [
    `curl '${origin}${GRAPHQL_PATH}'`,
    authorization,
    `-H 'Content-Type: application/json'`,
    `-d '{"query": "{ pets(first: 3) { nodes { id name } } }"}'`,
  ]
  const sdl = [`curl '${origin}${SDL_PATH}'`, authorization]
  const intro = secret
    ? 'The commands contain the demo key, because you are on the same machine.'
    : 'Every request needs an API key: set <code>API_KEY</code> to yours before you run a command.'
  return renderPage({
    title: 'Pet Store',
    current: null,
    graphiql,
    styles: [files['page.css'], files['home.css']],
    scripts: [files['home.js']],
    settings: {},
    body: `<main class="site-main">
<h1>Pet Store</h1>
<p>An inventory of pets with two APIs: REST and GraphQL. Both work on the same pets, with the same API keys.</p>
<p>Status: <a id="status" href=".${READINESS_PATH}">see readiness</a></p>
<p class="site-muted">${intro}</p>
<section class="home-card" aria-labelledby="rest">
<h2 id="rest">REST API</h2>
<p>List pets, create a pet, and get a pet by its id.</p>
${renderCommand('List three pets', rest)}
<p><a href=".${DOCS_PATH}">Documentation</a> <a href=".${CONTRACT_PATH}">Contract (OpenAPI)</a></p>
</section>
<section class="home-card" aria-labelledby="graphql">
<h2 id="graphql">GraphQL API</h2>
<p>Also filters, sorts, updates and deletes pets, and streams changes.</p>
${renderCommand('List three pets', graphql)}
${renderCommand('Get the schema (SDL)', sdl)}
${graphiql ? `<p><a href=".${GRAPHQL_PATH}">GraphiQL, with the documentation of the schema</a></p>` : ''}
</section>
</main>`,
  })
}

/** @param parts the command and its options, one per line */
function renderCommand(title: string, parts: string[]): string {
  const text = parts
    .join(' \\\n  ')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('"', '&quot;')
  return `<figure class="home-command">
<figcaption>${title}</figcaption>
<button type="button" class="site-button">Copy</button>
<pre tabindex="0"><code>${text}</code></pre>
</figure>`
}
