import { STORED_KEY } from '../../pages/page.ts'

/**
 * Asks for the key, then opens GraphiQL on the tab given in the URL, or the one that was open last, or the first sample.
 *
 * By default, GraphiQL ignores the URL on the first visit and opens an empty tab on each reload, and Yoga puts queries into the URL
 * without their variables.
 */
export const GRAPHIQL_SCRIPT = `{
const { secret, samples, workers } = JSON.parse(document.getElementById('settings').textContent)
const STORED_KEY = '${STORED_KEY}'
const byId = (id) => document.getElementById(id)

/** What the server says about a key; null if it accepts it. */
async function problemOf(key) {
  const response = await fetch(location.pathname, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'X-GraphiQL': 'true', Authorization: 'Bearer ' + key },
    body: JSON.stringify({ query: '{ __typename }' }),
  })
  if (![401, 429].includes(response.status)) return null
  return (await response.json()).errors[0].message
}

function showForm(isShown) {
  byId('root').hidden = isShown
  byId('key-page').hidden = !isShown
}
function askForKey(problem) {
  showForm(true)
  byId('key-problem').textContent = problem
  byId('key').focus()
}
byId('key-form').addEventListener('submit', async (event) => {
  event.preventDefault()
  const key = byId('key').value.trim()
  // A header can have no other characters.
  const problem = /^[\\x21-\\x7e]+$/.test(key) ? await problemOf(key) : 'An API key contains only letters, digits and punctuation.'
  if (problem) return askForKey(problem)
  sessionStorage.setItem(STORED_KEY, key)
  location.reload()
})
byId('change-key').addEventListener('click', () => askForKey(''))

/** Until a new key is saved, GraphiQL stays open behind the form with the one it has. */
function cancel() {
  if (byId('cancel').hidden) return
  byId('key-form').reset()
  showForm(false)
  byId('change-key').focus()
}
byId('cancel').addEventListener('click', cancel)
byId('key-page').addEventListener('keydown', ({ key }) => key === 'Escape' && cancel())

function readTabs() {
  try {
    return JSON.parse(localStorage.getItem('graphiql:tabState'))
  } catch {
    return null
  }
}
function readAddress() {
  const given = new URL(location.href).searchParams
  return given.has('query') ? { query: given.get('query'), variables: given.get('variables') } : null
}
function writeAddress({ tabs, activeTabIndex }) {
  const address = new URL(location.href)
  for (const name of ['query', 'variables']) {
    address.searchParams.delete(name)
    if (tabs[activeTabIndex][name]) address.searchParams.set(name, tabs[activeTabIndex][name])
  }
  // The server would reject a longer one on the next reload.
  if (address.href.length > 8000) address.search = ''
  if (address.href !== location.href) history.replaceState(null, '', address)
}

function openGraphiql(key) {
  const linked = readAddress()
  const kept = readTabs()
  const open = linked ?? kept?.tabs?.[kept.activeTabIndex] ?? samples[0]
  self.MonacoEnvironment = { globalAPI: false, getWorkerUrl: (_, label) => workers[label] }
  YogaGraphiQL.renderYogaGraphiQL(byId('root'), {
    title: document.title,
    // The page and the API have the same address.
    endpoint: location.pathname,
    // X-GraphiQL lets the server distinguish GraphiQL from other clients.
    additionalHeaders: { 'X-GraphiQL': 'true', Authorization: 'Bearer ' + key },
    // Keys should not be stored in a browser beyond the session.
    shouldPersistHeaders: false,
    // A document without variables gets the whole height.
    defaultEditorToolsVisibility: open.variables ? 'variables' : false,
    defaultTabs: linked ? [linked, ...samples] : samples,
    initialQuery: open.query ?? '',
    initialVariables: open.variables ?? '',
    onEditQuery: () => {},
    onTabChange: writeAddress,
  })
  byId('change-key').hidden = false
  byId('cancel').hidden = false
}

// Links in the documentation lead to the REST API and to specifications.
addEventListener('click', ({ target }) => {
  const link = target instanceof Element && target.closest('#root a[href]')
  if (link && link.href) Object.assign(link, { target: '_blank', rel: 'noopener' })
}, true)

async function start() {
  const stored = sessionStorage.getItem(STORED_KEY)
  const problem = stored && (await problemOf(stored))
  if (problem) return askForKey(problem)
  const key = stored ?? secret
  if (key) openGraphiql(key)
  else askForKey('')
}
start()
}
`
