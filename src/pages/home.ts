/** The page at /: what this is and where to go, as HTML for browsers and as JSON for other clients. */
import type { FastifyInstance } from 'fastify'
import { ServiceError } from '../base/errors.ts'
import { acceptedTypes, addVary } from '../http/headers.ts'
import {
  CONTRACT_PATH,
  DOCS_PATH,
  GRAPHQL_PATH,
  HEALTH_PATH,
  READINESS_PATH,
  registerPublicRoute,
  REST_PREFIX,
  SDL_PATH,
} from '../http/routes.ts'
import { StaticContent } from '../http/static-content.ts'
import type { Assets } from './files.ts'
import { CHANGE_KEY_BUTTON, createPage, pagePolicy, renderKeyForm, renderPage } from './page.ts'

/** What the page shows of a resource. */
export interface HomeContent {
  /** HTML: the list, which the script fills in. */
  list: string
  /** The file of that script. */
  script: string
  /** Examples for curl; {…-filter} is where the script inserts the filter of the list. */
  rest: { title: string; path: string; body?: string }[]
  graphql: { title: string; query: string; isStream?: boolean }[]
}

export interface HomeOptions {
  content: HomeContent
  /** The address of this server as clients see it, without a slash at the end; empty if it is not configured. */
  origin: string
  /** Whether GraphiQL is served. */
  graphiql: boolean
  /** The demo's key that only reads, for browsers on this machine; null: this is not the demo. */
  readKey: string | null
  assets: Assets
  /** Whether the page may run its own documents; otherwise it shows no pets. */
  livePets: boolean
}

export function registerHome(app: FastifyInstance, options: HomeOptions): void {
  const sendPage = createPage({
    policy: pagePolicy(),
    readKey: options.readKey,
    render: async (key) => renderHome(options, await options.assets(), key),
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
      rest: `${origin}${REST_PREFIX}/pets`,
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

function renderHome(options: HomeOptions, files: Awaited<ReturnType<Assets>>, key: string | null): string {
  const { graphiql, livePets } = options
  return renderPage({
    title: 'Pet Store',
    graphiql,
    styles: [files['page.css'], files['home.css']],
    scripts: [files['home.js'], ...(livePets ? [files['list.js']] : [])],
    settings: { key },
    bar: livePets ? CHANGE_KEY_BUTTON : '',
    body: `<main class="site-main home">
<h1>Pet Store</h1>
<p>An inventory of pets with two APIs: REST and GraphQL. Both work on the same pets, with the same API keys.</p>
<p>Status: <a id="status" href=".${READINESS_PATH}">see readiness</a></p>
<p class="site-muted" id="key-hint">Every request needs an API key: set <code>API_KEY</code> to yours before you run a command.</p>
<div class="home-columns">
${livePets ? `<div>${renderList(options)}</div>` : ''}
<div>${renderCommands(options)}</div>
</div>
</main>`,
  })
}

/** What the script fills in, or the form for the key. */
function renderList({ content, readKey }: HomeOptions): string {
  return `<noscript><p class="home-card">The list of pets needs JavaScript. The commands do not.</p></noscript>
<section class="home-card" id="key-page" aria-labelledby="key-title" hidden>
<h2 id="key-title">Pets</h2>
<p>Enter an API key to see the pets. The browser forgets it when you close this page.</p>
${renderKeyForm({ submit: 'Show the pets', isDemo: readKey !== null })}
</section>
${content.list}`
}

/** What the list does, as curl commands, and links to the documentation. */
function renderCommands({ content, ...options }: HomeOptions): string {
  // Otherwise the script fills in the address of the page.
  const origin = options.origin || '{origin}'
  const authorization = `-H "Authorization: Bearer {api-key}"`
  const json = `-H 'Content-Type: application/json'`
  const curl = (title: string, path: string, ...more: string[]) =>
    renderCommand(title, [`curl '${origin}${path}'`, authorization, ...more])
  const rest = content.rest.map(({ title, path, body }) =>
    curl(title, REST_PREFIX + path, ...(body === undefined ? [] : [json, `-d '${body}'`])),
  )
  const graphql = content.graphql.map(({ title, query, isStream }) => {
    const stream = isStream ? [`-N -H 'Accept: text/event-stream'`] : []
    return curl(title, GRAPHQL_PATH, json, ...stream, `-d '{"query": "${query}"}'`)
  })
  return `<section class="home-card" aria-labelledby="rest">
<h2 id="rest">REST API</h2>
<p>Lists and creates pets.</p>
${rest.join('\n')}
<p><a href=".${DOCS_PATH}">Documentation</a> <a href=".${CONTRACT_PATH}">Contract (OpenAPI)</a></p>
</section>
<section class="home-card" aria-labelledby="graphql">
<h2 id="graphql">GraphQL API</h2>
<p>Also filters, sorts, updates and deletes pets, and streams events.</p>
${graphql.join('\n')}
${curl('Get the schema (SDL)', SDL_PATH)}
${options.graphiql ? `<p><a href=".${GRAPHQL_PATH}">GraphiQL, with the documentation of the schema</a></p>` : ''}
</section>`
}

/** @param parts the command and its options, one per line */
function renderCommand(title: string, parts: string[]): string {
  const text = parts
    .join(' \\\n  ')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('"', '&quot;')
    .replace('{api-key}', '<span class="api-key">$API_KEY</span>')
    .replace(/\{(\w+-filter)\}/, '<span id="$1"></span>')
  return `<figure class="home-command">
<figcaption>${title}</figcaption>
<button type="button" class="site-button">Copy</button>
<pre tabindex="0"><code>${text}</code></pre>
</figure>`
}
