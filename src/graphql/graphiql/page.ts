import type { Assets } from '../../pages/assets.ts'
import { CHANGE_KEY_BUTTON, renderKeyForm } from '../../pages/key-form.ts'
import { pagePolicy, renderPage } from '../../pages/page.ts'

/** GraphiQL's own files. The workers have the names that Monaco, the editor, uses. */
export type GraphiqlFiles = Record<
  'graphiql.css' | 'graphiql.js' | 'editorWorkerService.js' | 'json.js' | 'graphql.js',
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
  assets: Pick<Awaited<ReturnType<Assets>>, 'page.css' | 'graphiql.css' | 'graphiql.js'>
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

/** GraphiQL as HTML, and the form that asks for an API key. */
export function renderGraphiqlPage({ files, assets, secret, samples, isDemo }: GraphiqlPage): string {
  const { 'graphiql.css': style, 'graphiql.js': library, ...workers } = files
  return renderPage({
    title: 'Pet Store: GraphiQL',
    current: 'graphql',
    graphiql: true,
    styles: [style, assets['graphiql.css'], assets['page.css']],
    scripts: [assets['graphiql.js']],
    library,
    settings: {
      secret,
      samples,
      workers: Object.fromEntries(Object.entries(workers).map(([file, url]) => [file.slice(0, -3), url])),
    },
    bar: CHANGE_KEY_BUTTON,
    body: `<noscript>GraphiQL needs JavaScript.</noscript>
<main class="site-main" id="key-page" hidden>
<h1>GraphiQL</h1>
<p>Enter an API key to begin. GraphiQL sends it with every request, in all its tabs. The browser forgets it when you close this page.</p>
${renderKeyForm({ submit: 'Open GraphiQL', isDemo })}
</main>
<main id="root"></main>`,
  })
}
