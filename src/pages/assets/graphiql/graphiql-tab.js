/**
 * The open tab of GraphiQL: where a page finds the one to begin with, and how the address follows it. By default, GraphiQL ignores the
 * address on the first visit and opens an empty tab on each reload, and Yoga puts queries into the address without their variables.
 */
import '../shared/storage.js'

/** @returns {GraphiqlTab | null} the tab that was open last */
export function readLastTab() {
  try {
    const state = /** @type {GraphiqlTabs | null} */ (
      JSON.parse(localStorage.getItem('graphiql:tabState') ?? 'null')
    )
    return state?.tabs[state.activeTabIndex] ?? null
  } catch {
    return null
  }
}

/** @returns {GraphiqlTab | null} the tab that the address describes */
export function readAddress() {
  const parameters = new URL(location.href).searchParams
  if (!parameters.has('query')) return null
  return { query: parameters.get('query'), variables: parameters.get('variables') }
}

/**
 * Makes the address describe the open tab, or no tab if the address would be longer than the server accepts.
 * @param {GraphiqlTabs} state
 * @param {number} maxLength of the path and the query of the address
 */
export function writeAddress({ tabs, activeTabIndex }, maxLength) {
  const address = new URL(location.href)
  for (const name of /** @type {const} */ (['query', 'variables'])) {
    const text = tabs[activeTabIndex]?.[name]
    if (text) address.searchParams.set(name, text)
    else address.searchParams.delete(name)
  }
  if (address.pathname.length + address.search.length > maxLength) address.search = ''
  if (address.href !== location.href) history.replaceState(null, '', address)
}
