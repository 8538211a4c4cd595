import { SAMPLE_TABS } from './graphiql-tabs.ts'

/** Where the page finds what it is made of; the workers by the names that Monaco, the editor, asks for. */
export interface GraphiqlFiles {
  script: string
  style: string
  workers: Record<'editorWorkerService' | 'json' | 'graphql', string>
}

export interface GraphiqlPage {
  endpoint: string
  files: GraphiqlFiles
  /** The API key to fill in; null leaves that to the reader. */
  secret: string | null
  /** A random word, new for every answer: what the policy knows the page's own scripts by. */
  nonce: string
}

/** What GraphiQL's own style lacks. */
export const EXTRA_STYLE = `
/* Until they are touched, tabs hold an offset that they do not show; with it they would jump away from the click. */
.graphiql-tab {
  transform: none !important;
}
/* On a phone: the answer below the question, and all the width for the tabs. */
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

/** Takes the place of Yoga's logo in the browser's tab. */
const ICON = `data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'><text y='13' font-size='13'>🐾</text></svg>`

/**
 * Starts GraphiQL on the tab that the address names, or the one that was open last, or the first sample.
 *
 * Left to themselves, GraphiQL ignores the address at the first visit and opens one more tab, an empty one, at reloads,
 * and Yoga puts queries into the address without their variables. So both are told here, always.
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
    // Longer ones the server would refuse at the next reload.
    if (address.href.length > 8000) address.search = ''
    if (address.href !== location.href) history.replaceState(null, '', address)
  }

  const linked = readAddress()
  const kept = readTabs()
  const open = linked ?? kept?.tabs?.[kept.activeTabIndex] ?? samples[0]
  self.MonacoEnvironment = { globalAPI: false, getWorkerUrl: (_, label) => workers[label] }
  YogaGraphiQL.renderYogaGraphiQL(document.querySelector('#root'), {
    ...options,
    defaultTabs: linked ? [linked, ...samples] : samples,
    initialQuery: open.query ?? '',
    initialVariables: open.variables ?? '',
    onEditQuery: () => {},
    onTabChange: writeAddress,
  })
`

/** GraphiQL as HTML: small, for all that stays the same is in files of its own. */
export function renderGraphiqlPage({ endpoint, files, secret, nonce }: GraphiqlPage): string {
  const options = {
    endpoint,
    title: 'Pet Store: GraphiQL',
    headers: JSON.stringify({ Authorization: `Bearer ${secret ?? '<API_KEY>'}` }, null, 2),
    // Lets the server tell what is tried out here from what programs do.
    additionalHeaders: { 'X-GraphiQL': 'true' },
    // A browser is no place to keep keys; and a kept one would outlive the demo's.
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

/** What the page may do: run the two scripts that bear the nonce, and load from here. */
export function graphiqlPolicy(nonce: string): string {
  return [
    `default-src 'none'`,
    `script-src 'nonce-${nonce}'`,
    `worker-src 'self'`,
    `connect-src 'self'`,
    // Monaco places every line of text by a style attribute. What styles may load, the other lines say.
    `style-src 'self' 'unsafe-inline'`,
    `img-src 'self' data:`,
    `font-src data:`,
    `base-uri 'none'`,
    `form-action 'none'`,
    `frame-ancestors 'none'`,
  ].join('; ')
}

/** JSON that no HTML parser takes for the end of the script. */
function toScript(value: unknown): string {
  return JSON.stringify(value).replaceAll('<', '\\u003c')
}
