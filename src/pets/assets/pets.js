/** The pets on the home page: lists, filters, sells and creates them, and follows their events. */
import { byId, readSettings } from '../../pages/assets/dom.js'
import { ApiError, request, subscribe } from '../../pages/assets/graphql.js'
import { showKey, showStatus } from '../../pages/assets/home.js'
import { isRejection, KeyForm } from '../../pages/assets/key-form.js'

/** @typedef {{ id: string, name: string, categoryId: string, status: string | null }} Pet */
/** @typedef {{ nodes: Pet[], pageInfo: { hasNextPage: boolean } }} PetPage */
/** @typedef {{ kind: string, pet: { id: string, name: string } }} PetEvent */

/** The newest first, so that a new pet is visible. */
const LIST = `query Pets($first: Int, $filter: PetFilter) {
  pets(first: $first, filter: $filter, orderBy: { field: ID, direction: DESC }) {
    nodes { id name categoryId status }
    pageInfo { hasNextPage }
  }
}`
const CREATE = `mutation CreatePet($input: NewPet!, $idempotencyKey: String!) {
  createPet(input: $input, idempotencyKey: $idempotencyKey) { id name }
}`
const UPDATE = `mutation UpdatePet($id: ID!, $input: PetChanges!, $expected: PetChanges) {
  updatePet(id: $id, input: $input, expected: $expected) { id }
}`
const EVENTS = 'subscription { petChanged { kind pet { id name } } }'

const PAGE_SIZE = 10
/** Milliseconds between two reads of the list, however many events there are. */
const READ_INTERVAL_MS = 300
/** Milliseconds after a read that has failed. */
const RETRY_MS = 1000

const { key: pageKey } = /** @type {{ key: string | null }} */ (readSettings())
const section = byId('pets', HTMLElement)
/** The largest page that the API returns. */
const maxShown = Number(section.dataset.largestPage)
const rows = byId('pet-rows', HTMLTableSectionElement)
const filter = byId('filter', HTMLFormElement)
const newPet = byId('new-pet', HTMLFormElement)
const more = byId('more', HTMLButtonElement)
const keyForm = new KeyForm(section, useKey)

/** @type {import('../../pages/assets/key-form.js').Key} */
let key = { token: '', scope: 'unknown' }
let shown = PAGE_SIZE
/** The pet of the latest event. */
let changedId = ''

/**
 * The text of a control.
 * @param {HTMLFormElement} form
 * @param {string} name
 */
function textOf(form, name) {
  const value = new FormData(form).get(name)
  return typeof value === 'string' ? value.trim() : ''
}

/** A creation that may have succeeded. Only another attempt tells, so the page says this until then. */
class UncertainCreation extends Error {}

/** Errors after which the database, or a server behind a proxy, may have done what it was asked for. */
const UNCERTAIN = ['DATABASE_UNAVAILABLE', 'TIMEOUT', 'UNAVAILABLE']

/**
 * Why the last sale, read of the list, or creation failed; undefined: it did not.
 * @typedef {{ sale?: unknown, read?: unknown, creation?: unknown }} Failures
 */
/** @type {Failures} */
const failures = { sale: undefined, read: undefined, creation: undefined }

/** @param {Failures} changed */
function showFailures(changed) {
  Object.assign(failures, changed)
  for (const error of Object.values(changed))
    if (error instanceof ApiError && isRejection(error.code)) keyForm.ask(error.message)
  const errors = Object.values(failures).filter((error) => error !== undefined)
  const problems = errors.flatMap((error) => (error instanceof ApiError ? error.problems : []))
  for (const control of newPet.querySelectorAll('input')) {
    const isInvalid = problems.some(({ argument }) => argument === `input.${control.name}`)
    control.setAttribute('aria-invalid', String(isInvalid))
  }
  const text = [...new Set(errors.map(describe))].join(' ')
  const place = byId('pet-problem', HTMLElement)
  // A screen reader would read the same text again.
  if (place.textContent !== text) place.textContent = text
}

/** @param {unknown} error */
function describe(error) {
  if (error instanceof UncertainCreation) return error.message
  if (!(error instanceof ApiError)) return 'The server cannot be reached.'
  if (['CONFLICT', 'PET_NOT_FOUND'].includes(error.code))
    return 'The pet has been changed or deleted in the meantime, so nothing was done. The list shows what is there now.'
  return error.message
}

/**
 * Changes something, and shows why that failed, and the list as it is then.
 * @param {'sale' | 'creation'} kind
 * @param {() => Promise<unknown>} change
 */
async function run(kind, change) {
  const used = key
  /** @type {unknown} */
  let failure
  try {
    await change()
  } catch (error) {
    failure = error
  }
  // Says nothing about another key, which the user has entered meanwhile.
  if (used === key) showFailures({ [kind]: failure })
  await refresh()
}

/** Reads the list, and again later if the server cannot be reached. */
async function refresh() {
  const number = ++reads
  const isLast = () => number === reads
  try {
    await readPets(isLast)
    if (!isLast()) return
    // If the server has not answered a sale, the list shows what came of it.
    showFailures({ read: undefined, ...(!(failures.sale instanceof ApiError) && { sale: undefined }) })
  } catch (error) {
    if (!isLast()) return
    showFailures({ read: error })
    // An error of the API is not retried, so the list is not loading any more.
    if (error instanceof ApiError) byId('no-pets', HTMLElement).hidden = true
    else refreshLater(RETRY_MS)
  }
}

/** @type {ReturnType<typeof setTimeout> | undefined} */
let nextRead

/** Reads the list once for all events in this time. @param {number} delay in milliseconds */
function refreshLater(delay) {
  nextRead ??= setTimeout(() => {
    nextRead = undefined
    void refresh()
  }, delay)
}

/** The number of reads so far: only the response to the last one is shown, or why it has failed. */
let reads = 0

/** @param {() => boolean} isLast whether this is the last read */
async function readPets(isLast) {
  const status = textOf(filter, 'status')
  const variables = { first: shown, filter: status ? { status: [status] } : null }
  const { pets } = /** @type {{ pets: PetPage }} */ (await request(key.token, LIST, variables))
  if (!isLast()) return
  const focused = document.activeElement?.id ?? ''
  const places = focused.startsWith('sell-') ? placesFrom(focused) : []
  rows.replaceChildren(...pets.nodes.map(createRow))
  // The reader may have scrolled elsewhere meanwhile.
  const place = places.map((id) => document.getElementById(id)).find((element) => element !== null)
  place?.focus({ preventScroll: true })
  byId('pet-table', HTMLTableElement).hidden = pets.nodes.length === 0
  const none = byId('no-pets', HTMLElement)
  none.hidden = pets.nodes.length > 0
  none.textContent = status ? `No pet is ${status}.` : 'There are no pets yet.'
  const { hasNextPage } = pets.pageInfo
  more.hidden = !hasNextPage || shown >= maxShown
  const end = byId('list-end', HTMLElement)
  end.hidden = !more.hidden || shown === PAGE_SIZE
  end.textContent = hasNextPage ? `These are the newest ${maxShown}; the APIs list all.` : 'These are all.'
  // A hidden button loses the focus.
  if (focused === 'more' && more.hidden) end.focus()
}

/**
 * Where the focus goes from the button of a pet when that is gone: to those of the pets below, then above, then to the title.
 * @param {string} id of the button
 */
function placesFrom(id) {
  const ids = Array.from(rows.querySelectorAll('button'), (button) => button.id)
  const index = ids.indexOf(id)
  return [...ids.slice(index), ...ids.slice(0, index).reverse(), 'pets-title']
}

/** @param {Pet} pet */
function createRow(pet) {
  const { id, name, categoryId, status } = pet
  const row = document.createElement('tr')
  row.classList.toggle('is-changed', id === changedId)
  const header = Object.assign(document.createElement('th'), { scope: 'row' })
  header.append(createName(name, 'pet-name'))
  const badge = document.createElement('span')
  badge.className = `pet-status ${status ?? ''}`
  badge.textContent = status ?? 'not set'
  const insertCell = (label = '') => {
    const cell = row.insertCell()
    if (label) cell.dataset.label = label
    return cell
  }
  insertCell('Id').append(id)
  row.append(header)
  insertCell('Category').append(categoryId)
  insertCell().append(badge)
  insertCell().append(status === 'sold' || key.scope === 'read' ? '' : createSellButton(pet))
  return row
}

/**
 * A name in its own writing direction; the style sheet shortens a long one, which a tooltip shows in full.
 * @param {string} name
 * @param {string} className
 */
const createName = (name, className) =>
  Object.assign(document.createElement('bdi'), { className, textContent: name, title: name })

/** @param {Pet} pet */
function createSellButton({ id, name, status }) {
  const button = document.createElement('button')
  Object.assign(button, { type: 'button', id: `sell-${id}`, className: 'site-button', textContent: 'Sell' })
  button.setAttribute('aria-label', `Sell ${name}`)
  button.addEventListener('click', () => {
    // Not disabled: it would lose the focus.
    if (button.ariaDisabled) return
    button.ariaDisabled = 'true'
    // Only if the status is still the one that was shown.
    const variables = { id, input: { status: 'sold' }, expected: { status } }
    void run('sale', () => request(key.token, UPDATE, variables)).finally(() => (button.ariaDisabled = null))
  })
  return button
}

/**
 * What has not been created for certain, by what was sent. Each new attempt has the same idempotency key, also after an answer that only
 * says why this attempt was not made, so that to create a pet again does not create a second one.
 * @type {Map<string, { idempotencyKey: string, isUncertain: boolean }>}
 */
const attempts = new Map()

async function create() {
  const input = {
    name: textOf(newPet, 'name'),
    categoryId: textOf(newPet, 'categoryId'),
    status: textOf(newPet, 'status') || null,
  }
  const text = JSON.stringify(input)
  // Unlike crypto.randomUUID, also there without HTTPS.
  const newKey = crypto.getRandomValues(new Uint32Array(4)).join('-')
  const attempt = attempts.get(text) ?? { idempotencyKey: newKey, isUncertain: false }
  attempts.set(text, attempt)
  const { idempotencyKey } = attempt
  try {
    await request(key.token, CREATE, { input, idempotencyKey })
  } catch (error) {
    const reason = error instanceof ApiError && !UNCERTAIN.includes(error.code) ? error : undefined
    if (!reason) attempt.isUncertain = true
    if (reason && (!attempt.isUncertain || isRejection(reason.code))) throw reason
    const sentences = [
      `${input.name} may have been created. Create it again: there will be only one.`,
      ...(reason ? [reason.message] : []),
    ]
    throw new UncertainCreation(sentences.join(' '), { cause: error })
  }
  attempts.delete(text)
  newPet.reset()
  newPet.querySelector('input')?.focus()
}

/** @param {PetEvent} event */
function showEvent({ kind, pet }) {
  changedId = pet.id
  const name = createName(pet.name, 'pet-event-name')
  byId('pet-event', HTMLElement).replaceChildren(name, ` (${pet.id}) was ${kind}.`)
  refreshLater(READ_INTERVAL_MS)
}

/** @param {boolean} isLive */
function showLive(isLive) {
  const live = byId('live', HTMLElement)
  live.textContent = isLive ? 'Live' : 'Not live'
  live.classList.toggle('is-live', isLive)
  // When the events end or start again, the status may have changed.
  void showStatus()
}

/** @param {AbortSignal} [signal] ends the wait without a response */
const whenVisibilityChanges = (signal) =>
  new Promise((resolve) => {
    document.addEventListener('visibilitychange', resolve, { once: true, ...(signal && { signal }) })
  })

/**
 * Follows the events, again after each end of the stream. A hidden tab does not: it would keep one of the browser's six connections.
 * @param {AbortSignal} signal ends it
 */
async function follow(signal) {
  for (let attempt = 0; !signal.aborted; attempt++) {
    if (document.hidden) await whenVisibilityChanges()
    const hidden = new AbortController()
    void whenVisibilityChanges(hidden.signal).then(() => hidden.abort())
    try {
      await subscribe(key.token, EVENTS, AbortSignal.any([signal, hidden.signal]), {
        onStart: () => {
          attempt = 0
          showLive(true)
          // Earlier changes are not in any event.
          void refresh()
        },
        onData: (/** @type {{ petChanged: PetEvent }} */ { petChanged }) => showEvent(petChanged),
      })
    } catch (error) {
      if (error instanceof ApiError && error.code === 'UNAUTHORIZED') {
        showFailures({ read: error })
        break
      }
    }
    hidden.abort()
    showLive(false)
    if (!document.hidden) await new Promise((resolve) => setTimeout(resolve, 500 * 2 ** Math.min(attempt, 4)))
  }
}

/** The commands beside the list have the same filter. */
function showFilter() {
  const status = textOf(filter, 'status')
  byId('rest-filter', HTMLElement).textContent = status && `&status=${status}`
  byId('graphql-filter', HTMLElement).textContent = status && `, filter: {status: [${status}]}`
}

filter.addEventListener('change', () => {
  shown = PAGE_SIZE
  showFilter()
  void refresh()
})
more.addEventListener('click', () => {
  shown = Math.min(shown + PAGE_SIZE, maxShown)
  void refresh()
})
newPet.addEventListener('submit', (event) => {
  event.preventDefault()
  void run('creation', create)
})

let following = new AbortController()

/** Shows the pets with another key. @param {typeof key} next */
function useKey(next) {
  key = next
  showKey(key, key.token !== pageKey)
  newPet.hidden = key.scope === 'read'
  byId('read-only', HTMLElement).hidden = key.scope !== 'read'
  showFailures({ sale: undefined, read: undefined, creation: undefined })
  showFilter()
  void refresh()
  following.abort()
  following = new AbortController()
  void follow(following.signal)
}

byId('other-key', HTMLButtonElement).addEventListener('click', () => keyForm.ask(''))
const first = await keyForm.start(pageKey)
if (first !== null) useKey(first)
