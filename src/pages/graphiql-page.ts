/** GraphiQL as a page. It loads everything from this server. */
import { MAX_TARGET_LENGTH } from '../http/request-checks.ts'
import { GRAPHIQL_POLICY } from './content-security-policy.ts'
import { LIBRARIES } from './page-files.ts'
import { createPageHandler } from './page-handler.ts'
import type { PageContent, Site } from './render-page.ts'
import type { GraphiqlSettings } from './settings.ts'

/**
 * @param samples the tabs on the first visit
 * @returns a handler that sends the page: the GraphQL API, which has the same address, calls it for browsers
 */
export function createGraphiqlPage(site: Site, samples: GraphiqlSettings['samples']) {
  const library = LIBRARIES.graphiql
  const content: PageContent = {
    settings: {
      page: 'graphiql',
      samples,
      workers: `./files/${library}`,
      maxTargetLength: MAX_TARGET_LENGTH,
    },
    values: { library },
  }
  return createPageHandler(site, content, GRAPHIQL_POLICY)
}
