/** Pages in the document of a test: their HTML as the server makes it, and their scripts as a browser loads them. */
import { registerHooks } from 'node:module'
import { afterEach, vi } from 'vitest'
import { describeHomePage, type HomeContent } from '../../../src/pages/home-page.ts'
import { renderNotFound, renderPage, type Site } from '../../../src/pages/render-page.ts'
import type { DocsSettings, GraphiqlSettings } from '../../../src/pages/settings.ts'

const SOURCES = new URL('../../../src/', import.meta.url)

/** A demo, so the page says where its key is. */
const SITE: Site = { graphiql: true, readKey: 'read-key' }

/** What scripts have added to the window, which is the same one for all tests of a file. */
const listeners: Parameters<typeof window.addEventListener>[] = []
const addListener = window.addEventListener.bind(window)
window.addEventListener = (...listener: (typeof listeners)[number]) => {
  listeners.push(listener)
  addListener(...listener)
}

afterEach(() => {
  for (const [name, listener, options] of listeners.splice(0))
    window.removeEventListener(name, listener, options)
  vi.unstubAllGlobals()
  sessionStorage.clear()
  localStorage.clear()
  history.replaceState(null, '', '/')
})

/** Puts a page into the document, without its style sheets, and without its scripts: `loadScript` runs them. @returns its whole HTML */
function show(html: string): string {
  const rest = html.replaceAll(/<link [^>]*>|<script [^>]*src=[^>]*><\/script>/g, '')
  const parsed = new DOMParser().parseFromString(rest, 'text/html')
  document.title = parsed.title
  document.body.innerHTML = parsed.body.innerHTML
  return html
}

/** @param key the demo's read-only key, as a browser on the server's machine gets it */
export function showHomePage(content: HomeContent, key: string | null = null): string {
  return show(renderPage(SITE, describeHomePage({ content, origin: '' }), key))
}

/** Shows the docs page, or GraphiQL. @param key as of the home page */
export function showLibraryPage(
  settings: DocsSettings | GraphiqlSettings,
  key: string | null = null,
): string {
  return show(renderPage(SITE, { settings, values: { library: 'library' } }, key))
}

export function showNotFoundPage(): string {
  return show(renderNotFound(SITE, { home: 'Home page', 'home-content': 'commands' }, ''))
}

/** The number of loads so far. */
let loads = 0
// A script is loaded again, with all that it imports, as it is when a browser opens a page.
registerHooks({
  resolve(specifier, context, next) {
    const resolved = next(specifier, context)
    const load = URL.parse(context.parentURL ?? '')?.searchParams.get('load')
    if (load == null || !resolved.url.startsWith(SOURCES.href)) return resolved
    return { ...resolved, url: `${resolved.url}?load=${load}` }
  },
})

/**
 * Runs a script of a page on what is in the document.
 * @param file its path in src, such as `pages/assets/home/home.js`
 * @returns what the script exports
 */
export async function loadScript(file: string): Promise<unknown> {
  loads += 1
  const script: unknown = await import(new URL(`${file}?load=${loads}`, SOURCES).href)
  return script
}

/** A request that a script sends. */
export interface SentRequest {
  /** Relative to the page, as the script has it. */
  address: string
  /** The API key; null: none is sent. */
  key: string | null
  /** Of a request to the GraphQL API. */
  operation: { query: string; variables?: Record<string, unknown> } | null
  /** Gives the request up. */
  signal: AbortSignal | null
}

/** Answers the requests of the scripts that are loaded afterwards. */
export function answerRequests(answer: (request: SentRequest) => Response | Promise<Response>): void {
  const send = async (address: string, { body, headers, signal = null }: RequestInit = {}) => {
    const authorization = new Headers(headers).get('authorization')
    const operation = typeof body === 'string' ? (JSON.parse(body) as SentRequest['operation']) : null
    const key = authorization?.replace('Bearer ', '') ?? null
    return answer({ address, key, operation, signal })
  }
  vi.stubGlobal('fetch', send)
}

/** The response of the GraphQL API for an error. */
export function createErrorResponse(code: string, message = `It is ${code}.`): Response {
  return Response.json({ errors: [{ message, extensions: { code } }] })
}
