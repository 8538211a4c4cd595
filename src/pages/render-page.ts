/** The HTML of pages: a file of the folder html, with the parts and the values that all pages share. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { CONTRACT_PATH, DOCS_PATH, GRAPHQL_PATH, READINESS_PATH } from '../http/known-paths.ts'
import type { PageSettings } from './settings.ts'
import { Html, renderTemplate, type TemplateValues } from './template.ts'

/** The media type of pages. */
export const HTML_TYPE = 'text/html; charset=utf-8'

/** What all pages of a server have in common. */
export interface Site {
  /** Whether GraphiQL is served. */
  graphiql: boolean
  /** The demo's read-only key, for browsers on this machine; null: this is not the demo. No page ever has a key that writes. */
  readKey: string | null
}

/** A page with a script, whose settings name it. */
export interface PageContent {
  settings: PageSettings
  /** What its file has places for, besides what all pages share. */
  values: TemplateValues
}

/** Parts of pages, each in a file of its own, which has only shared values. */
const PARTS = ['head', 'bar', 'key-form']

/**
 * @param key what the script gets as the demo's read-only key
 * @returns the HTML of a page; all its addresses are relative, for a proxy that adds a prefix to all paths
 * @throws Error if its values are not those that its file has places for
 */
export function renderPage(site: Site, { settings, values }: PageContent, key: string | null): string {
  // Safe inside a script element.
  const json = JSON.stringify({ ...settings, key }).replaceAll('<', '\\u003c')
  return renderInFrame(site, settings.page, { ...values, settings: new Html(json) })
}

/**
 * @param root leads from the page to the top level, where other pages are: `../`
 * @returns the HTML of the page for an unknown path, which has no script
 * @throws Error as `renderPage`
 */
export function renderNotFound(site: Site, values: TemplateValues, root: string): string {
  return renderInFrame(site, 'not-found', values, root)
}

function renderInFrame(site: Site, page: string, values: TemplateValues, root = ''): string {
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
  }
  const parts = Object.fromEntries(PARTS.map((part) => [part, renderFile(part, {}, shared)]))
  return renderFile(page, values, { ...shared, ...parts }).text
}

/**
 * Fills in a file of the folder html, as `renderTemplate` does.
 * @param name of the file, without `.html`
 */
export function renderFile(name: string, values: TemplateValues, shared?: TemplateValues): Html {
  const html = readFileSync(join(import.meta.dirname, 'html', `${name}.html`), 'utf8')
  return renderTemplate(html, values, shared)
}
