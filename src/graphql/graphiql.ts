import { renderGraphiQL } from '@graphql-yoga/render-graphiql'

const SAMPLE_QUERY = `# The animals that can be bought, ten at a time.
# Run it with the button above or Ctrl-Enter; the graph is described behind the book icon on the left.
query AvailablePets($after: String) {
  pets(first: 10, after: $after, filter: { status: [available] }) {
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
    shouldPersistHeaders: true,
    defaultEditorToolsVisibility: 'headers',
  })
}
