/** The pets on the home page: the list, the form that creates one, and the events, all with the key that the user has chosen last. */
import { byId, readSettings } from '../../pages/assets/dom.js'
import { keyForm, startList } from '../../pages/assets/home.js'
import { NewPetForm } from './new-pet-form.js'
import { PetEvents } from './pet-events.js'
import { PetList } from './pet-list.js'
import { PetProblems } from './pet-problems.js'

const { largestPage } = /** @type {import('../pet-list-settings.ts').PetListSettings} */ (readSettings())
const problems = new PetProblems(keyForm)
const list = new PetList(problems, largestPage)
const newPet = new NewPetForm(problems, list)
const events = new PetEvents(problems, list)

byId('other-key', HTMLButtonElement).addEventListener('click', () => keyForm.ask(''))
startList((key) => {
  byId('read-only', HTMLElement).hidden = key.scope !== 'read'
  problems.clear()
  list.useKey(key)
  newPet.useKey(key)
  events.useKey(key)
})
