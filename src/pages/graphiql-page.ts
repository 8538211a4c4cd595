/** GraphiQL as a page. It loads everything from this server. */
import { LIBRARIES } from './page-files.ts'
import { createPage, type Site } from './page.ts'

export interface Tab {
  query: string
  variables: string | null
}

interface GraphiqlOptions {
  site: Site
  /** The tabs on the first visit. */
  samples: readonly Tab[]
}

/** @returns a handler that sends the page */
export function createGraphiqlPage({ site, samples }: GraphiqlOptions) {
  return createPage('graphiql.html', site, {
    current: 'graphiql',
    settings: { samples, workers: `./files/${LIBRARIES.graphiql}` },
    places: { library: LIBRARIES.graphiql },
    policyChanges: {
      'worker-src': `'self'`,
      // Monaco positions each line of text with a style attribute. The other directives limit what styles may load.
      'style-src': `'self' 'unsafe-inline'`,
      'img-src': `'self' data:`,
      'font-src': 'data:',
    },
  })
}
