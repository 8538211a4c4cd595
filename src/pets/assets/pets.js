/** The pets on the home page: the list, the form that creates one, and the events, all with the key that the user has chosen last. */
import { byId } from '../../pages/assets/shared/dom.js'
import { keyForm, onKey } from '../../pages/assets/home/home.js'
import { KeyInUse } from './key-in-use.js'
import { NewPetForm } from './new-pet-form.js'
import { followEvents } from './pet-events.js'
import { PetList } from './pet-list.js'
import { PetProblems } from './pet-problems.js'

const problems = new PetProblems(keyForm)
const list = new PetList()
const newPet = new NewPetForm(list)
/** null: the page has no key yet, so the list is hidden. @type {KeyInUse | null} */
let keyInUse = null

byId('other-key', HTMLButtonElement).addEventListener('click', () => keyForm.ask(''))
onKey((key) => {
  keyInUse?.end()
  keyInUse = new KeyInUse(key, problems)
  list.useKey(keyInUse)
  newPet.useKey(keyInUse)
  void followEvents(keyInUse, list)
})
