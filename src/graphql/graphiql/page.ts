import { SAMPLE_TABS } from './sample-tabs.ts'

/** The URLs of the page's files; workers have the names that Monaco, the editor, uses. */
export interface GraphiqlFiles {
  script: string
  style: string
  workers: Record<'editorWorkerService' | 'json' | 'graphql', string>
}

export interface GraphiqlPage {
  files: GraphiqlFiles
  /** The API key to fill in; null if the user has to enter one. */
  secret: string | null
  /** Random and new for every response; it marks the scripts that the policy allows. */
  nonce: string
}

/** Fixes for GraphiQL's style sheet. */
export const EXTRA_STYLE = `
/* An untouched tab has an invisible offset, which would make it jump away from a click. */
.graphiql-tab {
  transform: none !important;
}
/* On phones: result below the query, tabs at full width. */
@media (max-width: 700px) {
  .graphiql-container .graphiql-logo,
  .graphiql-container .graphiql-horizontal-drag-bar {
    display: none;
  }
  .graphiql-container #graphiql-session {
    flex-direction: column;
  }
  .graphiql-container .graphiql-editors {
    flex: 3 1 0% !important;
  }
  .graphiql-container .graphiql-response {
    flex: 2 1 0% !important;
  }
  .graphiql-container .graphiql-main {
    overflow-x: auto;
  }
  .graphiql-container .graphiql-sessions {
    min-width: 300px;
  }
}
`

/** The favicon, which replaces Yoga's logo. */
const ICON = `data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'><text y='13' font-size='13'>🐾</text></svg>`

/**
 * Opens GraphiQL on the tab given in the URL, or the one that was open last, or the first sample.
 *
 * By default, GraphiQL ignores the URL on the first visit and opens an empty tab on each reload, and Yoga puts queries into the URL
 * without their variables.
 */
const START = `
  function readTabs() {
    try {
      return JSON.parse(localStorage.getItem('graphiql:tabState'))
    } catch {
      return null
    }
  }
  function readAddress() {
    const given = new URL(location.href).searchParams
    return given.has('query') ? { query: given.get('query'), variables: given.get('variables') } : null
  }
  function writeAddress({ tabs, activeTabIndex }) {
    const address = new URL(location.href)
    for (const name of ['query', 'variables']) {
      address.searchParams.delete(name)
      if (tabs[activeTabIndex][name]) address.searchParams.set(name, tabs[activeTabIndex][name])
    }
    // The server would reject a longer one on the next reload.
    if (address.href.length > 8000) address.search = ''
    if (address.href !== location.href) history.replaceState(null, '', address)
  }

  const linked = readAddress()
  const kept = readTabs()
  const open = linked ?? kept?.tabs?.[kept.activeTabIndex] ?? samples[0]
  self.MonacoEnvironment = { globalAPI: false, getWorkerUrl: (_, label) => workers[label] }
  YogaGraphiQL.renderYogaGraphiQL(document.querySelector('#root'), {
    ...options,
    // The page and the API have the same address.
    endpoint: location.pathname,
    defaultTabs: linked ? [linked, ...samples] : samples,
    initialQuery: open.query ?? '',
    initialVariables: open.variables ?? '',
    onEditQuery: () => {},
    onTabChange: writeAddress,
  })
`

/** GraphiQL as HTML, which is small because everything that never changes is in separate files. */
export function renderGraphiqlPage({ files, secret, nonce }: GraphiqlPage): string {
  const options = {
    title: 'Pet Store: GraphiQL',
    headers: JSON.stringify({ Authorization: `Bearer ${secret ?? '<API_KEY>'}` }, null, 2),
    // Lets the server distinguish GraphiQL from other clients.
    additionalHeaders: { 'X-GraphiQL': 'true' },
    // Keys should not be stored in a browser.
    shouldPersistHeaders: false,
    defaultEditorToolsVisibility: 'headers',
  }
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>${options.title}</title>
    <link rel="icon" href="${ICON}">
    <link rel="stylesheet" href="${files.style}">
  </head>
  <body class="no-focus-outline">
    <noscript>GraphiQL needs JavaScript.</noscript>
    <div id="root"></div>
    <script nonce="${nonce}" src="${files.script}"></script>
    <script nonce="${nonce}">
  const options = ${toScript(options)}
  const samples = ${toScript(SAMPLE_TABS)}
  const workers = ${toScript(files.workers)}
${START}</script>
  </body>
</html>
`
}

/** The page may run the two scripts with the nonce, and load from this server. */
export function graphiqlPolicy(nonce: string): string {
  return [
    `default-src 'none'`,
    `script-src 'nonce-${nonce}'`,
    `worker-src 'self'`,
    `connect-src 'self'`,
    // Monaco positions each line of text with a style attribute. The other directives limit what styles may load.
    `style-src 'self' 'unsafe-inline'`,
    `img-src 'self' data:`,
    `font-src data:`,
    `base-uri 'none'`,
    `form-action 'none'`,
    `frame-ancestors 'none'`,
  ].join('; ')
}

/** JSON that is safe inside a script element. */
function toScript(value: unknown): string {
  return JSON.stringify(value).replaceAll('<', '\\u003c')
}
