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
import type { Assets } from './assets.ts'
import { CHANGE_KEY_BUTTON, renderKeyForm } from './key-form.ts'
import { createPage, pagePolicy, renderPage } from './page.ts'

export interface HomeOptions {
  /** The address of this server as clients see it, without a slash at the end; empty if it is not configured. */
  origin: string
  /** Whether GraphiQL is served. */
  graphiql: boolean
  /** The API key to fill in for a browser on this machine; null: none. */
  secret: string | null
  assets: Assets
  /** Whether the page may run its own documents; otherwise it shows no pets. */
  livePets: boolean
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

function renderHome(options: HomeOptions, files: Awaited<ReturnType<Assets>>, secret: string | null): string {
  const { graphiql, livePets } = options
  const intro = secret
    ? 'The commands contain the demo key, because you are on the same machine.'
    : 'Every request needs an API key: set <code>API_KEY</code> to yours before you run a command.'
  return renderPage({
    title: 'Pet Store',
    current: null,
    graphiql,
    styles: [files['page.css'], files['home.css']],
    scripts: [files['home.js'], ...(livePets ? [files['pets.js']] : [])],
    settings: { secret },
    bar: livePets ? CHANGE_KEY_BUTTON : '',
    body: `<main class="site-main home">
<h1>Pet Store</h1>
<p>An inventory of pets with two APIs: REST and GraphQL. Both work on the same pets, with the same API keys.</p>
<p>Status: <a id="status" href=".${READINESS_PATH}">see readiness</a></p>
<p class="site-muted">${intro}</p>
<div class="home-columns">
${livePets ? `<div>${renderPets(options.secret !== null)}</div>` : ''}
<div>${renderCommands(options, secret)}</div>
</div>
</main>`,
  })
}

const STATUSES = ['available', 'pending', 'sold']

/** What assets/pets.js fills in, or the form for the key. */
function renderPets(isDemo: boolean): string {
  const choices = ['', ...STATUSES].map(
    (status) =>
      `<label><input type="radio" name="status" value="${status}"${status ? '' : ' checked'}>${status || 'all'}</label>`,
  )
  const options = STATUSES.map((status) => `<option>${status}</option>`)
  return `<noscript><p class="home-card">The list of pets needs JavaScript. The commands do not.</p></noscript>
<section class="home-card" id="key-page" aria-labelledby="key-title" hidden>
<h2 id="key-title">Pets</h2>
<p>Enter an API key to see the pets. The browser forgets it when you close this page.</p>
${renderKeyForm({ submit: 'Show the pets', isDemo })}
</section>
<section class="home-card" id="pets" aria-labelledby="pets-title" hidden>
<div class="home-title"><h2 id="pets-title" tabindex="-1">Pets</h2><p id="pet-event" class="site-muted" role="status"></p><p id="live" role="status">Not live</p></div>
<form id="new-pet" class="home-new" autocomplete="off">
<label>Name <input class="site-input" name="name" required></label>
<label>Category <input class="site-input" name="categoryId" inputmode="numeric" pattern="-?[0-9]{1,19}" title="A whole number" required></label>
<label>Status <select class="site-input" name="status"><option value="">not set</option>${options.join('')}</select></label>
<button class="site-button site-primary">Create</button>
</form>
<p id="pet-problem" class="home-problem" role="alert"></p>
<form id="filter" class="home-filter"><fieldset><legend>Status</legend>${choices.join('')}</fieldset></form>
<table id="pet-table" hidden>
<thead><tr><th scope="col">Id</th><th scope="col">Name</th><th scope="col">Category</th><th scope="col">Status</th><td></td></tr></thead>
<tbody id="pet-rows"></tbody>
</table>
<p id="no-pets" hidden></p>
<button type="button" class="site-button" id="more" hidden>Show more</button>
</section>`
}

/** The same with curl, and links. */
function renderCommands(options: HomeOptions, secret: string | null): string {
  // Otherwise the script fills in the address of the page.
  const origin = options.origin || '{origin}'
  const authorization = `-H "Authorization: Bearer ${secret ?? '$API_KEY'}"`
  const json = `-H 'Content-Type: application/json'`
  const pets = `${origin}${REST_PREFIX}/pets`
  const graphql = [`curl '${origin}${GRAPHQL_PATH}'`, authorization, json]
  return `<section class="home-card" aria-labelledby="rest">
<h2 id="rest">REST API</h2>
<p>Lists and creates pets.</p>
${renderCommand('List three pets', [`curl '${pets}?limit=3{rest-filter}'`, authorization])}
${renderCommand('Create a pet', [
  `curl '${pets}'`,
  authorization,
  json,
  `-d '{"name": "Rocky", "categoryId": 1, "status": "available"}'`,
])}
<p><a href=".${DOCS_PATH}">Documentation</a> <a href=".${CONTRACT_PATH}">Contract (OpenAPI)</a></p>
</section>
<section class="home-card" aria-labelledby="graphql">
<h2 id="graphql">GraphQL API</h2>
<p>Also filters, sorts, updates and deletes pets, and streams events.</p>
${renderCommand('List three pets', [
  ...graphql,
  `-d '{"query": "{ pets(first: 3{graphql-filter}) { nodes { id name status } } }"}'`,
])}
${renderCommand('Sell a pet', [
  ...graphql,
  `-d '{"query": "mutation { updatePet(id: 1, input: {status: sold}) { name status } }"}'`,
])}
${renderCommand('Follow the events', [
  ...graphql,
  `-N -H 'Accept: text/event-stream'`,
  `-d '{"query": "subscription { petChanged { kind pet { id name status } } }"}'`,
])}
${renderCommand('Get the schema (SDL)', [`curl '${origin}${SDL_PATH}'`, authorization])}
${options.graphiql ? `<p><a href=".${GRAPHQL_PATH}">GraphiQL, with the documentation of the schema</a></p>` : ''}
</section>`
}

/** @param parts the command and its options, one per line; {…-filter} is where the script inserts the filter of the list */
function renderCommand(title: string, parts: string[]): string {
  const text = parts
    .join(' \\\n  ')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('"', '&quot;')
    .replace(/\{(\w+-filter)\}/, '<span id="$1"></span>')
  return `<figure class="home-command">
<figcaption>${title}</figcaption>
<button type="button" class="site-button">Copy</button>
<pre tabindex="0"><code>${text}</code></pre>
</figure>`
}
