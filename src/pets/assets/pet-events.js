import { byId, setText } from '../../pages/assets/dom.js'
import { RequestError, subscribe } from '../../pages/assets/graphql.js'
import { showStatus } from '../../pages/assets/status.js'
import { follow } from './follow.js'
import { PET_CHANGED } from './pet-operations.js'
import { createName } from './pet-row.js'

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
    void follow((signal, onStart) => this.#connect(key.token, signal, onStart), this.#following.signal)
  }

  /**
   * @param {string} token
   * @param {AbortSignal} signal ends it
   * @param {() => void} onStart
   * @returns {Promise<boolean>} when the stream has ended: whether to follow it again
   */
  async #connect(token, signal, onStart) {
    try {
      await subscribe(token, PET_CHANGED, signal, {
        onStart: () => {
          onStart()
          showLive(true)
          // Earlier changes are not in any event.
          this.#list.readSoon()
        },
        onData: ({ petChanged }) => this.#show(petChanged),
      })
    } catch (error) {
      if (!(error instanceof RequestError)) throw error
      // Otherwise, it is of an earlier key, or the tab is hidden.
      if (error.code === 'UNAUTHORIZED' && !signal.aborted) {
        this.#problems.report('read', error)
        return false
      }
    } finally {
      showLive(false)
    }
    return true
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
  setText(live, isLive ? 'Live' : 'Not live')
  live.classList.toggle('is-live', isLive)
  // When the events end or start again, the status may have changed.
  void showStatus()
}
