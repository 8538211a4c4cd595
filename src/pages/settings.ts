/**
 * What the server writes into a page for its script, which reads it by `readSettings` (assets/shared/dom.js). `page` is the name of the
 * HTML of the page, and of its script.
 */

/** The HTML of a list contains what its script needs. */
export interface HomeSettings {
  page: 'home'
}

export interface DocsSettings {
  page: 'docs'
  /** The address of the published contract, relative to the page. */
  contract: string
  /** Links to GraphiQL, relative to the page, by the id of the operation that each belongs to. They are in the form of OpenAPI. */
  equivalents: Record<string, { description: string; url: string }>
}

/** A tab of GraphiQL. */
export interface Tab {
  query: string
  /** As JSON. */
  variables: string | null
}

export interface GraphiqlSettings {
  page: 'graphiql'
  /** The tabs on the first visit. */
  samples: readonly [Tab, ...Tab[]]
  /** The folder of the editor's workers, relative to the page. */
  workers: string
  /** The length of the longest target that the server accepts in a request. */
  maxTargetLength: number
}

/** Those of any page that has a script. */
export type PageSettings = HomeSettings | DocsSettings | GraphiqlSettings
export type PageName = PageSettings['page']

/** What the script of a page reads: its settings, with the demo's read-only key for a browser on this machine. */
export type ReadSettings<Page extends PageName> = Extract<PageSettings, { page: Page }> & {
  key: string | null
}
