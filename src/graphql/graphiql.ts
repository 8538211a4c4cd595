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
 * Takes up the tab that was open last. Yoga's GraphiQL does so only when the URL names what the tab holds, which it does
 * not before something has been edited; otherwise it opens one more tab, an empty one, at every reload.
 */
const RESUME_TAB = `<script>
  const address = new URL(location.href)
  const state = JSON.parse(localStorage.getItem('graphiql:tabState') || 'null')
  const tab = state?.tabs?.[state.activeTabIndex]
  if (tab?.query && !address.searchParams.has('query')) {
    address.searchParams.set('query', tab.query)
    if (tab.variables) address.searchParams.set('variables', tab.variables)
    history.replaceState({}, '', address)
  }
</script>`

/**
 * GraphiQL, whole in one page: it loads nothing from anywhere.
 * @param secret the API key to fill in; null leaves that to the reader
 * @returns HTML
 */
export function renderGraphiqlPage(endpoint: string, secret: string | null): string {
  const page = renderGraphiQL({
    endpoint,
    title: 'Pet Store: GraphiQL',
    defaultQuery: SAMPLE_QUERY,
    headers: JSON.stringify({ Authorization: `Bearer ${secret ?? '<API_KEY>'}` }, null, 2),
    // A browser is no place to keep keys; and a kept one would outlive the demo's.
    shouldPersistHeaders: false,
    defaultEditorToolsVisibility: 'headers',
  })
  return page.replace('<head>', () => `<head>${RESUME_TAB}`)
}
