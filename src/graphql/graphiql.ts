import { renderGraphiQL } from '@graphql-yoga/render-graphiql'

const SAMPLE_QUERY = `# The animals that can be bought.
# Run it with Ctrl-Enter. The icon on the upper left
# opens the documentation of the whole graph.
query AvailablePets($after: String) {
  pets(
    first: 10
    after: $after
    filter: { status: [available] }
  ) {
    nodes {
      id
      name
      categoryId
      status
    }
    pageInfo {
      hasNextPage
      endCursor
    }
    totalCount
  }
}
`

/**
 * GraphiQL, whole in one page: it loads nothing from anywhere.
 * @param secret the API key to fill in; null leaves that to the reader
 * @returns HTML
 */
export function renderGraphiqlPage(endpoint: string, secret: string | null): string {
  return renderGraphiQL({
    endpoint,
    title: 'Pet Store: GraphiQL',
    defaultQuery: SAMPLE_QUERY,
    headers: JSON.stringify({ Authorization: `Bearer ${secret ?? '<API_KEY>'}` }, null, 2),
    // A browser is no place to keep keys; and a kept one would outlive the demo's.
    shouldPersistHeaders: false,
    defaultEditorToolsVisibility: 'headers',
  })
}
