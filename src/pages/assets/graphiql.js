/**
 * Asks for the key, then opens GraphiQL on the tab in the URL, or the one that was open last, or the first sample.
 *
 * By default, GraphiQL ignores the URL on the first visit and opens an empty tab on each reload, and Yoga puts queries into the URL
 * without their variables.
 */
import { byId, readSettings, showLoading } from './dom.js'
import { KeyForm } from './key-form.js'
import './storage.js'

/** @typedef {import('../settings.ts').PageSettings<'graphiql'>} PageSettings */

const { key: pageKey, samples, workers, maxTargetLength } = /** @type {PageSettings} */ (readSettings())
const root = byId('root', HTMLElement)
showLoading(root)
const keyForm = new KeyForm(byId('graphiql', HTMLElement), pageKey)

/** @returns {GraphiqlTab | null} the tab that was open last */
function readTab() {
  try {
    const state = /** @type {GraphiqlTabs | null} */ (
      JSON.parse(localStorage.getItem('graphiql:tabState') ?? 'null')
    )
    return state?.tabs[state.activeTabIndex] ?? null
  } catch {
    return null
  }
}

/** @returns {GraphiqlTab | null} the tab that the URL describes */
function readAddress() {
  const parameters = new URL(location.href).searchParams
  if (!parameters.has('query')) return null
  return { query: parameters.get('query'), variables: parameters.get('variables') }
}

/** @param {GraphiqlTabs} state */
function writeAddress({ tabs, activeTabIndex }) {
  const address = new URL(location.href)
  for (const name of /** @type {const} */ (['query', 'variables'])) {
    const text = tabs[activeTabIndex]?.[name]
    if (text) address.searchParams.set(name, text)
    else address.searchParams.delete(name)
  }
  // The server would reject a longer one on the next reload.
  if (address.pathname.length + address.search.length > maxTargetLength) address.search = ''
  if (address.href !== location.href) history.replaceState(null, '', address)
}

/** @param {string} key */
function openGraphiql(key) {
  const linked = readAddress()
  const open = linked ?? readTab() ?? samples[0]
  Object.assign(self, {
    MonacoEnvironment: {
      globalAPI: false,
      getWorkerUrl: (/** @type {string} */ _, /** @type {string} */ label) => `${workers}/${label}.js`,
    },
  })
  YogaGraphiQL.renderYogaGraphiQL(root, {
    title: document.title,
    // The page and the API have the same address.
    endpoint: location.pathname,
    additionalHeaders: { Authorization: `Bearer ${key}` },
    // Keys should not be stored in a browser beyond the session.
    shouldPersistHeaders: false,
    // A document without variables gets the whole height.
    defaultEditorToolsVisibility: open.variables ? 'variables' : false,
    defaultTabs: linked ? [linked, ...samples] : samples,
    initialQuery: open.query ?? '',
    initialVariables: open.variables ?? '',
    onEditQuery: () => undefined,
    onTabChange: writeAddress,
  })
}

// Links in the documentation lead to specifications.
addEventListener(
  'click',
  ({ target }) => {
    const link = target instanceof Element && target.closest('#root a[href]')
    if (link) Object.assign(link, { target: '_blank', rel: 'noopener' })
  },
  true,
)

// GraphiQL's own script runs after this one.
addEventListener('DOMContentLoaded', () => {
  void keyForm
    .start()
    .then((key) => {
      if (key === null) return
      keyForm.askWhenRejected()
      openGraphiql(key.token)
    })
    .catch((/** @type {unknown} */ error) => {
      root.textContent = 'GraphiQL could not be loaded. Reload the page.'
      // For the console: it may be a fault of the page.
      throw error
    })
})
