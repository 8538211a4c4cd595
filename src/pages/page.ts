/** What pages share: the frame around them, their policy, how they are sent, and the form that asks for an API key. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { loadOnce, StaticContent } from '../http/static-content.ts'
import { FAVICON_PATH } from '../http/routes.ts'

/** The media type of pages. */
export const HTML = 'text/html; charset=utf-8'

interface PageParts {
  title: string
  /** The link in the bar that leads to this page. */
  current?: 'docs' | 'graphql'
  /** Whether the bar links to GraphiQL. */
  graphiql: boolean
  styles: string[]
  /** Modules. */
  scripts?: string[]
  /** A third-party script, which defines a global variable. It runs after our own, and before DOMContentLoaded. */
  library?: string
  /** What the scripts read from the page. */
  settings?: object
  /** HTML at the end of the bar. */
  bar?: string
  body: string
  /** Leads from the page to the top level, where pages are: `../`; empty by default. */
  root?: string
}

/** @returns a page as HTML; all addresses are relative, for a proxy that adds a prefix to all paths */
export function renderPage(parts: PageParts): string {
  const { root = '', bar = '', scripts = [], settings = {}, library, ...page } = parts
  const link = (path: string, text: string) =>
    `<a href="${root}${path}"${path === page.current ? ' aria-current="page"' : ''}>${text}</a>`
  // Safe inside a script element.
  const json = JSON.stringify(settings).replaceAll('<', '\\u003c')
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${page.title}</title>
<link rel="icon" type="image/svg+xml" href="${root}.${FAVICON_PATH}">
${page.styles.map((url) => `<link rel="stylesheet" href="${root}${url}">`).join('\n')}
</head>
<body>
<header class="site-bar">
<a class="site-name" href="${root}."><img src="${root}.${FAVICON_PATH}" alt="" width="24" height="24">Pet Store</a>
<nav aria-label="Pages">${link('docs', 'REST')}${page.graphiql ? link('graphql', 'GraphQL') : ''}</nav>
${bar}
</header>
${page.body}
<script type="application/json" id="settings">${json}</script>
${scripts.map((url) => `<script type="module" src="${root}${url}"></script>`).join('\n')}
${library === undefined ? '' : `<script defer src="${root}${library}"></script>`}
</body>
</html>
`
}

/**
 * A content security policy: a page runs scripts from files of this server and no others, and loads from this server.
 * @param changes directives that differ for a page
 */
export function pagePolicy(changes: Record<string, string> = {}): string {
  const directives = {
    'default-src': `'none'`,
    'script-src': `'self'`,
    'style-src': `'self'`,
    'connect-src': `'self'`,
    'img-src': `'self'`,
    ...changes,
    'base-uri': `'none'`,
    'form-action': `'none'`,
    'frame-ancestors': `'none'`,
  }
  return Object.entries(directives)
    .map(([name, value]) => `${name} ${value}`)
    .join('; ')
}

interface PageOptions {
  policy: string
  /** The demo's key that only reads, for browsers on this machine; null: this is not the demo. No page ever has a key that writes. */
  readKey: string | null
  /** @returns the HTML, with this key in it */
  render: (readKey: string | null) => Promise<string>
}

/** @returns a handler that sends the page; browsers keep it unless it has a key in it */
export function createPage({ policy, readKey, render }: PageOptions) {
  const loadShared = loadOnce(async () => new StaticContent(HTML, await render(null)))
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    // Scripts from other origins must not read the key in it.
    reply.removeHeader('access-control-allow-origin')
    reply.headers({ 'content-security-policy': policy, 'referrer-policy': 'no-referrer' })
    if (readKey !== null && isLocal(request)) {
      reply.header('cache-control', 'no-store').type(HTML)
      return reply.send(await render(readKey))
    }
    reply.header('cache-control', 'private, no-cache')
    return (await loadShared()).send(request, reply)
  }
}

/** Headers by which proxies say for whom they ask: X-Forwarded-Port and the like, and Forwarded (RFC 7239). */
const PROXY_HEADER = /^(forwarded|via|x-forwarded(-.*)?|x-original-.*|x-(real|client)-ip)$/

/**
 * Whether a request comes directly from a browser on this machine, addressed to localhost or to the loopback address that it has reached.
 * Any other host name could be pointed at this server by an attacker's page, which could then read the response (DNS rebinding).
 */
function isLocal({ headers, socket }: FastifyRequest): boolean {
  const { remoteAddress = '', localAddress = '', localPort } = socket
  const isLoopback = /^(::ffff:)?127\.|^::1$/.test(remoteAddress)
  const address = localAddress === '::1' ? '[::1]' : localAddress.replace('::ffff:', '')
  const port = localPort === 80 ? '' : `:${localPort}`
  const isOwnHost = ['localhost', address].some((name) => headers.host === name + port)
  // Browsers send this header, which is for one hop only: nginx, which by default adds none of the others, does not pass it on.
  const isForwarded =
    headers.connection !== 'keep-alive' || Object.keys(headers).some((name) => PROXY_HEADER.test(name))
  return isLoopback && isOwnHost && !isForwarded
}

/** For the bar: opens the form again. */
export const CHANGE_KEY_BUTTON =
  '<button type="button" class="site-button" id="change-key" title="Change the API key" hidden>API key</button>'

const DEMO_KEY_HINT =
  '<p>The addresses that the demo server prints when it starts have its key in them. It is also in <code>.data/demo-key</code>, or in the directory that <code>DATA_DIR</code> names.</p>'

/**
 * The form that asks for an API key, as HTML; assets/key-form.js makes it work.
 * @param submit the text of its button
 * @param isDemo whether the server has a demo key
 */
export function renderKeyForm({ submit, isDemo }: { submit: string; isDemo: boolean }): string {
  return `${isDemo ? DEMO_KEY_HINT : ''}
<form class="key-form" id="key-form">
<label for="key">API key</label>
<input class="site-input" id="key" type="password" autocomplete="off" spellcheck="false" aria-describedby="key-problem" required>
<button class="site-button site-primary">${submit}</button>
<button type="button" class="site-button" id="cancel" hidden>Cancel</button>
</form>
<p class="key-problem" id="key-problem" role="alert"></p>`
}
