/** The HTML of pages: a file of the folder html, with the parts and the values that all pages share. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { CONTRACT_PATH, DOCS_PATH, GRAPHQL_PATH, READINESS_PATH } from '../http/known-paths.ts'
import type { PageName } from './settings.ts'
import { renderTemplate, type TemplateValues } from './template.ts'

/** The media type of pages. */
export const HTML = 'text/html; charset=utf-8'

/** What all pages of a server have in common. */
export interface Site {
  /** Whether GraphiQL is served. */
  graphiql: boolean
  /** The demo's read-only key, for browsers on this machine; null: this is not the demo. No page ever has a key that writes. */
  readKey: string | null
}

interface PageContent {
  /** The name of its file in the folder html. */
  page: PageName | 'not-found'
  /** What its file has places for, besides what all pages share. */
  places: TemplateValues
  /** What its script reads; by default, it has none. */
  settings?: object
  /** Leads from the page to the top level, where pages are: `../`; by default, the page is there. */
  root?: string
}

/** Parts of pages, each in a file of its own, which has only shared values. */
const PARTS = ['head', 'bar', 'key-form']

/**
 * @returns the HTML of a page; all its addresses are relative, for a proxy that adds a prefix to all paths
 * @throws Error if its places are not those of its file
 */
export function renderPage(site: Site, { page, places, settings = {}, root = '' }: PageContent): string {
  const shared: TemplateValues = {
    root,
    'docs-path': DOCS_PATH,
    'graphql-path': GRAPHQL_PATH,
    'contract-path': CONTRACT_PATH,
    'readiness-path': READINESS_PATH,
    graphiql: site.graphiql,
    demo: site.readKey !== null,
    'is-docs': page === 'docs' ? 'page' : 'false',
    'is-graphiql': page === 'graphiql' ? 'page' : 'false',
    // Safe inside a script element.
    settings: JSON.stringify({ ...settings, page }).replaceAll('<', '\\u003c'),
  }
  const parts = Object.fromEntries(PARTS.map((part) => [part, renderFile(part, {}, shared)]))
  return renderFile(page, places, { ...shared, ...parts })
}

/** Fills in a file of the folder html, as `renderTemplate` does. @param name of the file, without `.html` */
export function renderFile(name: string, values: TemplateValues, shared?: TemplateValues): string {
  const html = readFileSync(join(import.meta.dirname, 'html', `${name}.html`), 'utf8')
  return renderTemplate(html, values, shared)
}
