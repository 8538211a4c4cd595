/** Starts the home page: its commands, its status, and its key, which the script of a resource's list gets by `startList`. */
import { Commands } from './commands.js'
import { readSettings } from './dom.js'
import { KeyForm } from './key-form.js'
import { showStatus } from './status.js'

/** @typedef {import('./api-key.js').Key} Key */
/** @typedef {import('../settings.ts').PageSettings<'home'>} PageSettings */

const { key: pageKey } = /** @type {PageSettings} */ (readSettings())
/** null: this page has no list. */
const list = document.getElementById('list')
const commands = new Commands()
/** The key in use; null: there is none yet. @type {Key | null} */
let currentKey = null
/** Shows the list with a key. @type {(key: Key) => void} */
let showList = () => undefined

/** The form, for a list that needs another key. */
export const keyForm = new KeyForm(list, pageKey, useKey)

/** @param {Key} key */
function useKey(key) {
  currentKey = key
  commands.useKey(key, !keyForm.isPageKey(key))
  showList(key)
}

/**
 * Starts the list of a resource.
 * @param {(key: Key) => void} show shows the list with a key: called with the key in use, and with each one that the user enters later
 */
export function startList(show) {
  showList = show
  if (currentKey) show(currentKey)
}

void showStatus()
// The commands can do without a key.
void keyForm.start({ isNeeded: list !== null }).then((key) => key && useKey(key))
