import { byId, setText } from '../../pages/assets/shared/dom.js'
import { failureOf, subscribe } from '../../pages/assets/shared/api-requests.js'
import { showStatus } from '../../pages/assets/home/status.js'
import { follow } from './follow.js'
import { PET_CHANGED } from './pet-operations.js'
import { createName } from './pet-row.js'

/** @typedef {import('../../generated/page-operations.ts').PetChangedSubscription['petChanged']} PetEvent */

/**
 * Follows the events of all pets until the page takes another key: shows the latest one, and keeps the list up to date.
 * @param {import('./key-in-use.js').KeyInUse} key
 * @param {import('./pet-list.js').PetList} list
 * @returns {Promise<void>} settles when the events are no longer followed; rejects with a fault
 */
export function followEvents(key, list) {
  return follow(async (signal, onStart) => {
    const stream = subscribe(key.token, PET_CHANGED, signal, {
      onStart: () => {
        onStart()
        showLive(true)
        list.catchUp()
      },
      onData: ({ petChanged }) => {
        showEvent(petChanged)
        list.showChange(petChanged.pet.id)
      },
    })
    const failure = await failureOf(stream.finally(() => showLive(false)))
    if (!failure?.isRejection) return true
    key.report('read', failure)
    return false
  }, key.signal)
}

/** @param {PetEvent} event */
function showEvent({ kind, pet }) {
  const name = createName(pet.name, 'pet-event-name')
  byId('pet-event', HTMLElement).replaceChildren(name, ` (${pet.id}) was ${kind}.`)
}

/** @param {boolean} isLive */
function showLive(isLive) {
  const live = byId('live', HTMLElement)
  setText(live, isLive ? 'Live' : 'Not live')
  live.classList.toggle('is-live', isLive)
  // When the events end or start again, the status may have changed.
  void showStatus()
}
