import { pagePolicy, renderPage } from '../../pages/page.ts'

/** The workers have the names that Monaco, the editor, uses. */
export type GraphiqlFiles = Record<
  'graphiql.css' | 'graphiql.js' | 'start.js' | 'editorWorkerService.js' | 'json.js' | 'graphql.js',
  string
>

/** A tab of the editor. */
export interface Tab {
  query: string
  variables: string | null
}

export interface GraphiqlPage {
  /** The URL of each file. */
  files: GraphiqlFiles
  /** The URL of the style that all pages share. */
  pageStyle: string
  /** The API key to fill in; null if the user has to enter one. */
  secret: string | null
  /** The tabs on the first visit. */
  samples: readonly Tab[]
  /** Whether the server has a demo key. */
  isDemo: boolean
}

export const GRAPHIQL_POLICY = pagePolicy({
  'worker-src': `'self'`,
  // Monaco positions each line of text with a style attribute. The other directives limit what styles may load.
  'style-src': `'self' 'unsafe-inline'`,
  'img-src': `'self' data:`,
  'font-src': 'data:',
})

const DEMO_KEY_HINT =
  '<p>The demo server keeps its key in <code>.data/demo-key</code>, or in the directory that <code>DATA_DIR</code> names.</p>'

/** GraphiQL as HTML, and the form that asks for an API key. */
export function renderGraphiqlPage({ files, pageStyle, secret, samples, isDemo }: GraphiqlPage): string {
  const { 'graphiql.css': style, 'graphiql.js': script, 'start.js': start, ...workers } = files
  return renderPage({
    title: 'Pet Store: GraphiQL',
    current: 'graphql',
    graphiql: true,
    styles: [style, pageStyle],
    scripts: [script, start],
    settings: {
      secret,
      samples,
      workers: Object.fromEntries(Object.entries(workers).map(([file, url]) => [file.slice(0, -3), url])),
    },
    bar: '<button type="button" class="site-button" id="change-key" title="Change the API key" hidden>API key</button>',
    body: `<noscript>GraphiQL needs JavaScript.</noscript>
<main class="site-main" id="key-page" hidden>
<h1>GraphiQL</h1>
<p>Enter an API key to begin. GraphiQL sends it with every request, in all its tabs. The browser forgets it when you close this page.</p>
${isDemo ? DEMO_KEY_HINT : ''}
<form class="key-form" id="key-form">
<label for="key">API key</label>
<input class="site-input" id="key" type="password" autocomplete="off" spellcheck="false" required>
<button class="site-button site-primary">Open GraphiQL</button>
<button type="button" class="site-button" id="cancel" hidden>Cancel</button>
</form>
<p class="key-problem" id="key-problem" role="alert"></p>
</main>
<main id="root"></main>`,
  })
}
