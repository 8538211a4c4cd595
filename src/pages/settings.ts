/** What the server writes into a page for its script, which reads it by `readSettings` (assets/dom.js) with the same types. */

/** In each page. */
export interface PageSettings {
  /** The demo's read-only key, for a browser on this machine. */
  key: string | null
}

/** Settings of one page, which cannot replace those in each page. */
export type NoPageSettings = { [Name in keyof PageSettings]?: never }

export interface DocsSettings {
  /** The address of the published contract, relative to the page. */
  contract: string
  /** Links that only this page has, by the id of the operation, in the form of OpenAPI, relative to the page. */
  equivalents: Record<string, { description: string; url: string }>
}

/** A tab of GraphiQL. */
export interface Tab {
  query: string
  /** As JSON. */
  variables: string | null
}

export interface GraphiqlSettings {
  /** The tabs on the first visit. */
  samples: readonly [Tab, ...Tab[]]
  /** The folder of the editor's workers, relative to the page. */
  workers: string
  /** The length of the longest target that the server accepts in a request. */
  maxTargetLength: number
}
