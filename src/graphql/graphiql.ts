import type { FastifyInstance } from 'fastify'
import { GRAPHQL_PATH } from '../http/routes.ts'
import { type Assets, registerFiles } from '../pages/files.ts'
import { CHANGE_KEY_BUTTON, createPage, pagePolicy, renderKeyForm, renderPage } from '../pages/page.ts'

export interface Tab {
  query: string
  variables: string | null
}

export interface GraphiqlOptions {
  /** The demo's key that only reads, for browsers on this machine; null: this is not the demo. */
  readKey: string | null
  /** The tabs on the first visit. */
  samples: readonly Tab[]
  assets: Assets
}

/** GraphiQL's own files, nine megabytes. The workers have the names that Monaco, the editor, uses. */
export const GRAPHIQL_FILES = {
  folder: `${GRAPHQL_PATH}/graphiql`,
  load: async () => {
    const bundle = await import('@graphql-yoga/render-graphiql/graphiql')
    return {
      'graphiql.css': bundle.css,
      'graphiql.js': bundle.js,
      'editorWorkerService.js': bundle.editorWorkerService,
      'json.js': bundle.jsonWorker,
      'graphql.js': bundle.graphqlWorker,
    }
  },
}

/** Adds routes for GraphiQL's files. @returns sends the page */
export function registerGraphiql(app: FastifyInstance, { readKey, samples, assets }: GraphiqlOptions) {
  const files = registerFiles(app, GRAPHIQL_FILES)
  return createPage({
    policy: pagePolicy({
      'worker-src': `'self'`,
      // Monaco positions each line of text with a style attribute. The other directives limit what styles may load.
      'style-src': `'self' 'unsafe-inline'`,
      'img-src': `'self' data:`,
      'font-src': 'data:',
    }),
    readKey,
    render: async (key) => renderGraphiqlPage(await files(), await assets(), samples, key, readKey !== null),
  })
}

/**
 * GraphiQL as HTML, and the form that asks for an API key.
 * @param files the URL of each of GraphiQL's files
 * @param key the demo's key that only reads; null if the user has to enter one
 */
export function renderGraphiqlPage(
  files: Awaited<ReturnType<typeof GRAPHIQL_FILES.load>>,
  assets: Pick<Awaited<ReturnType<Assets>>, 'page.css' | 'graphiql.css' | 'graphiql.js'>,
  samples: readonly Tab[],
  key: string | null,
  isDemo: boolean,
): string {
  const { 'graphiql.css': style, 'graphiql.js': library, ...workers } = files
  return renderPage({
    title: 'Pet Store: GraphiQL',
    current: 'graphql',
    graphiql: true,
    styles: [style, assets['graphiql.css'], assets['page.css']],
    scripts: [assets['graphiql.js']],
    library,
    settings: {
      key,
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
<main class="graphiql-page">
<h1>GraphiQL</h1>
<div id="root"></div>
</main>`,
  })
}
