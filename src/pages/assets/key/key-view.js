/**
 * What a page shows: its content, or the form that asks for an API key in place of the content; and how that changes. Values only:
 * key-form.js has the elements.
 */

/** @typedef {import('./api-key.js').Key} Key */
/** @typedef {{ shows: 'content', key: Key | null }} Content with the key that it uses, or without one */
/**
 * @typedef {object} Form
 * @property {'form'} shows
 * @property {string} problem a sentence that says what is wrong with a key; empty: nothing
 * @property {Content | null} behind what the user can go back to; null: nothing, until there is a key
 */
/** @typedef {{ shows: 'nothing yet' } | Content | Form} View */

/**
 * Until the key to begin with has been found.
 * @type {View}
 */
export const NOTHING_YET = { shows: 'nothing yet' }

/**
 * The content that is shown, or that is behind the form.
 * @param {View} view
 * @returns {Content | null}
 */
export function contentOf(view) {
  if (view.shows === 'form') return view.behind
  return view.shows === 'content' ? view : null
}

/**
 * What a page begins with.
 * @param {{ key: Key | null, problem: string }} found as `findKey` has found it
 * @param {boolean} isNeeded whether there is no content without a key
 * @returns {Content | Form}
 */
export function firstView({ key, problem }, isNeeded) {
  /** @type {Content | null} */
  const content = key || !isNeeded ? { shows: 'content', key } : null
  return content && problem === '' ? content : { shows: 'form', problem, behind: content }
}

/**
 * The form, with the content behind it that there is.
 * @param {View} view
 * @param {string} problem see `Form`
 * @returns {Form}
 */
export const formOver = (view, problem) => ({ shows: 'form', problem, behind: contentOf(view) })
