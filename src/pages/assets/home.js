/** Starts the home page: its commands, its status, and its key, which the script of a resource's list gets by `onKey`. */
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
/** What uses the key. @type {((key: Key) => void)[]} */
const users = [(key) => commands.useKey(key, !keyForm.isPageKey(key))]
/** The key in use; null: there is none yet. @type {Key | null} */
let keyInUse = null

/** The form, for a list that needs another key. */
export const keyForm = new KeyForm(list, pageKey, useKey)

/** @param {Key} key */
function useKey(key) {
  keyInUse = key
  for (const use of users) use(key)
}

/** @param {(key: Key) => void} use called with the key in use, once there is one, and with each key that the user enters later */
export function onKey(use) {
  users.push(use)
  if (keyInUse) use(keyInUse)
}

void showStatus()
// The commands can do without a key.
void keyForm.start({ isNeeded: list !== null }).then((key) => key && useKey(key))
