/** Asks for the key, then starts GraphiQL on the tab in the address, or the one that was open last, or the first sample. */
import { byId, readSettings } from '../shared/dom.js'
import { readAddress, readLastTab, writeAddress } from './graphiql-tab.js'
import { KeyForm } from '../key/key-form.js'
import { startLibrary } from '../shared/start-library.js'

const { key: pageKey, samples, workers, maxTargetLength } = readSettings('graphiql')
const root = byId('root', HTMLElement)
const keyForm = new KeyForm(byId('graphiql', HTMLElement), pageKey)

startLibrary(root, 'GraphiQL', async () => {
  const key = await keyForm.start()
  // The page is loaded again with the key that the user enters.
  if (key === null) return
  keyForm.askWhenRejected()
  openGraphiql(key.token)
})

/** @param {string} key */
function openGraphiql(key) {
  const linked = readAddress()
  const open = linked ?? readLastTab() ?? samples[0]
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
    onTabChange: (state) => writeAddress(state, maxTargetLength),
  })
}

// Links in the documentation lead to specifications, which open in a tab of their own.
addEventListener(
  'click',
  ({ target }) => {
    const link = target instanceof Element && target.closest('a[href]')
    if (link && root.contains(link)) Object.assign(link, { target: '_blank', rel: 'noopener' })
  },
  true,
)
