/** What pages share: what is filled into their HTML, and how they are sent. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { NO_STORE, PRIVATE } from '../http/headers.ts'
import { CONTRACT_PATH, DOCS_PATH, GRAPHQL_PATH, READINESS_PATH } from '../http/known-paths.ts'
import { pageSecurityHeaders } from './content-security-policy.ts'
import { mayHaveDemoKey } from './demo-key.ts'
import type { OwnSettings, PageName, PageSettings } from './settings.ts'
import { renderTemplate } from './template.ts'

/** The media type of pages. */
export const HTML = 'text/html; charset=utf-8'

/** What all pages of a server have in common. */
export interface Site {
  /** Whether GraphiQL is served. */
  graphiql: boolean
  /** The demo's read-only key, for browsers on this machine; null: this is not the demo. No page ever has a key that writes. */
  readKey: string | null
}

interface PageValues {
  /** The link in the bar that leads to this page. */
  current?: 'docs' | 'graphiql'
  /** Leads from the page to the top level, where pages are: `../`; empty by default. */
  root?: string
  /** HTML by the name of its place. */
  places?: Record<string, string>
}

/**
 * @param file the page's HTML in the folder html
 * @param settings what its script reads
 * @returns the page; all addresses are relative, for a proxy that adds a prefix to all paths
 */
export function renderPage(
  file: string,
  site: Site,
  { current, root = '', places }: PageValues,
  settings: object = {},
): string {
  const values: Record<string, string | boolean> = {
    ...places,
    root,
    'docs-path': DOCS_PATH,
    'graphql-path': GRAPHQL_PATH,
    'contract-path': CONTRACT_PATH,
    'readiness-path': READINESS_PATH,
    graphiql: site.graphiql,
    demo: site.readKey !== null,
    'is-docs': current === 'docs' ? 'page' : 'false',
    'is-graphiql': current === 'graphiql' ? 'page' : 'false',
    // Safe inside a script element.
    settings: JSON.stringify(settings).replaceAll('<', '\\u003c'),
  }
  for (const part of ['head', 'bar', 'key-form']) values[part] = renderFile(`${part}.html`, values)
  return renderFile(file, values)
}

/** Fills in a file of the folder html, as `renderTemplate` does. */
export function renderFile(name: string, values: Record<string, string | boolean>): string {
  return renderTemplate(readFileSync(join(import.meta.dirname, 'html', name), 'utf8'), values)
}

interface PageOptions<Page extends PageName> extends PageValues {
  /** What its script reads, besides what each page has. */
  settings: OwnSettings<Page>
  /** Its content security policy. */
  policy?: string
}

/** @returns a handler that sends the page, with the demo's key in its settings for a browser on this machine; others may keep the page */
export function createPage<Page extends PageName>(
  page: Page,
  site: Site,
  { policy, settings, ...values }: PageOptions<Page>,
) {
  const { readKey } = site
  const securityHeaders = pageSecurityHeaders(policy)
  const render = (key: string | null) =>
    Buffer.from(renderPage(`${page}.html`, site, values, { ...settings, key } satisfies PageSettings<Page>))
  const shared = render(null)
  const withKey = readKey === null ? null : render(readKey)
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    // Scripts from other origins must not read the key in it.
    reply.removeHeader('access-control-allow-origin')
    reply.headers(securityHeaders)
    if (withKey !== null && mayHaveDemoKey(request)) {
      reply.header('cache-control', NO_STORE).type(HTML)
      return reply.send(withKey)
    }
    reply.header('cache-control', PRIVATE).type(HTML)
    return reply.send(shared)
  }
}
