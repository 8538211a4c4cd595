/** GraphiQL as a page. It loads everything from this server. */
import type { FastifyInstance } from 'fastify'
import { GRAPHQL_PATH } from '../http/known-paths.ts'
import { registerFiles } from '../pages/page-files.ts'
import { createPage, pagePolicy, renderPage, type Site } from '../pages/page.ts'

export interface Tab {
  query: string
  variables: string | null
}

export interface GraphiqlOptions {
  site: Site
  /** The tabs on the first visit. */
  samples: readonly Tab[]
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
export function registerGraphiql(app: FastifyInstance, { site, samples }: GraphiqlOptions) {
  const files = registerFiles(app, GRAPHIQL_FILES)
  return createPage({
    policy: pagePolicy({
      'worker-src': `'self'`,
      // Monaco positions each line of text with a style attribute. The other directives limit what styles may load.
      'style-src': `'self' 'unsafe-inline'`,
      'img-src': `'self' data:`,
      'font-src': 'data:',
    }),
    readKey: site.readKey,
    render: async (key) => {
      const library = await files()
      const settings = { key, samples, workers: library }
      return renderPage('graphiql.html', site, { current: 'graphiql', settings, places: { library } })
    },
  })
}
