import { byId } from '../../pages/assets/dom.js'
import { RequestError, subscribe } from '../../pages/assets/graphql.js'
import { showStatus } from '../../pages/assets/status.js'
import { PET_CHANGED } from './pet-operations.js'
import { createName } from './pet-row.js'
import { retryDelay } from './retry-delay.js'

/** @typedef {import('../../generated/page-operations.ts').PetChangedSubscription['petChanged']} PetEvent */

/** Follows the events of all pets, shows the latest one, and keeps the list up to date. */
export class PetEvents {
  #problems
  #list
  /** Ends the stream of the key in use. */
  #following = new AbortController()

  /**
   * @param {import('./pet-problems.js').PetProblems} problems
   * @param {import('./pet-list.js').PetList} list
   */
  constructor(problems, list) {
    this.#problems = problems
    this.#list = list
  }

  /** @param {import('../../pages/assets/api-key.js').Key} key */
  useKey(key) {
    this.#following.abort()
    this.#following = new AbortController()
    void this.#follow(key.token, this.#following.signal)
  }

  /**
   * Follows the events, again after each end of the stream. A hidden tab does not: it would keep one of the browser's six connections.
   * @param {string} token
   * @param {AbortSignal} signal ends it
   */
  async #follow(token, signal) {
    for (let attempt = 0; !signal.aborted; attempt++) {
      if (document.hidden) await whenVisibilityChanges()
      const hidden = new AbortController()
      void whenVisibilityChanges(hidden.signal).then(() => hidden.abort())
      try {
        await subscribe(token, PET_CHANGED, AbortSignal.any([signal, hidden.signal]), {
          onStart: () => {
            attempt = 0
            showLive(true)
            // Earlier changes are not in any event.
            this.#list.readSoon()
          },
          onData: ({ petChanged }) => this.#show(petChanged),
        })
      } catch (error) {
        if (!(error instanceof RequestError)) throw error
        if (error.code === 'UNAUTHORIZED') {
          this.#problems.report('read', error)
          break
        }
      } finally {
        hidden.abort()
        showLive(false)
      }
      if (!document.hidden) await new Promise((resolve) => setTimeout(resolve, retryDelay(attempt)))
    }
  }

  /** @param {PetEvent} event */
  #show({ kind, pet }) {
    const name = createName(pet.name, 'pet-event-name')
    byId('pet-event', HTMLElement).replaceChildren(name, ` (${pet.id}) was ${kind}.`)
    this.#list.showChange(pet.id)
  }
}

/** @param {boolean} isLive */
function showLive(isLive) {
  const live = byId('live', HTMLElement)
  const text = isLive ? 'Live' : 'Not live'
  // A screen reader would read the same text again.
  if (live.textContent !== text) live.textContent = text
  live.classList.toggle('is-live', isLive)
  // When the events end or start again, the status may have changed.
  void showStatus()
}

/** @param {AbortSignal} [signal] ends the wait without a response */
const whenVisibilityChanges = (signal) =>
  new Promise((resolve) => {
    document.addEventListener('visibilitychange', resolve, { once: true, ...(signal && { signal }) })
  })
