/** Starts the home page: its commands, its status, and its key, which the script of a resource's list gets by `onKey`. */
import { Commands } from './commands.js'
import { findById, readSettings } from '../shared/dom.js'
import { KeyForm } from '../key/key-form.js'
import { showStatus } from './status.js'

/** @typedef {import('../key/api-key.js').Key} Key */

const { key: pageKey } = readSettings('home')
/** null: this page has no list. */
const list = findById('list')

/** The form, for a list that needs another key. */
export const keyForm = new KeyForm(list, pageKey, useKey)

/**
 * Called with each key.
 * @type {((key: Key) => void)[]}
 */
const listeners = []
/**
 * The key in use; null: there is none yet.
 * @type {Key | null}
 */
let keyInUse = null

/** @param {Key} key */
function useKey(key) {
  keyInUse = key
  for (const listener of listeners) listener(key)
}

/** @param {(key: Key) => void} listener called with the key in use, once there is one, and with each key that the user enters later */
export function onKey(listener) {
  listeners.push(listener)
  if (keyInUse) listener(keyInUse)
}

const commands = new Commands()
onKey((key) => commands.useKey(key, !keyForm.isPageKey(key)))
void showStatus()
// The commands can do without a key.
void keyForm.start({ isNeeded: list !== null }).then((key) => key && useKey(key))
