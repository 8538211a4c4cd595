/** The pets on the home page: the list, the form that creates one, and the events, all with the key that the user has chosen last. */
import { showKey } from '../../pages/assets/commands.js'
import { byId, readSettings } from '../../pages/assets/dom.js'
import { KeyForm } from '../../pages/assets/key-form.js'
import { NewPetForm } from './new-pet-form.js'
import { PetEvents } from './pet-events.js'
import { PetList } from './pet-list.js'
import { PetProblems } from './pet-problems.js'

/** @typedef {import('../../pages/settings.ts').PageSettings} PageSettings */
/** @typedef {import('../pet-list-settings.ts').PetListSettings} PetListSettings */

const { key: pageKey, largestPage } = /** @type {PageSettings & PetListSettings} */ (readSettings())
const keyForm = new KeyForm(byId('pets', HTMLElement), useKey)
const problems = new PetProblems(keyForm)
const list = new PetList(problems, largestPage)
const newPet = new NewPetForm(problems, list)
const events = new PetEvents(problems, list)

/** Shows the pets with another key. @param {import('../../pages/assets/api-key.js').Key} key */
function useKey(key) {
  showKey(key, key.token !== pageKey)
  byId('read-only', HTMLElement).hidden = key.scope !== 'read'
  problems.clear()
  list.useKey(key)
  newPet.useKey(key)
  events.useKey(key)
}

byId('other-key', HTMLButtonElement).addEventListener('click', () => keyForm.ask(''))
const first = await keyForm.start(pageKey)
if (first !== null) useKey(first)
