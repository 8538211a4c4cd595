/** What the server writes into a page for its script, which reads it by `readSettings` (assets/shared/dom.js). */

/** In each page. */
interface CommonSettings {
  /** The demo's read-only key, for a browser on this machine. */
  key: string | null
}

/** What only one page has, by the name of its HTML and of its script. */
export interface SettingsByPage {
  docs: DocsSettings
  graphiql: GraphiqlSettings
  /** None: the HTML of a list contains what its script needs. */
  home: object
}

export type PageName = keyof SettingsByPage
/** What the script of a page reads. */
export type PageSettings<Page extends PageName> = SettingsByPage[Page] & CommonSettings

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
