/**
 * What scripts find in the HTML of the server. They look for it only by the functions of this file, and name it by a literal, so that a
 * test can look for the same in each page (test/dom/support/lookups.ts). Inside what they have found, they look for tags only.
 */

/**
 * An element of the page.
 * @template {HTMLElement} Element
 * @param {string} id
 * @param {new () => Element} type the class that the element has
 * @returns {Element}
 */
export function byId(id, type) {
  const element = document.getElementById(id)
  if (element instanceof type) return element
  throw new Error(`There is no ${type.name} with the id ${id}.`)
}

/**
 * The element that another one names.
 * @param {HTMLElement} element
 * @param {string} attribute of that element, which has the id
 */
export const namedBy = (element, attribute) => byId(element.getAttribute(attribute) ?? '', HTMLElement)

/**
 * An element that may be missing, which is null then.
 * @param {string} id
 */
export const findById = (id) => document.getElementById(id)

/**
 * All elements with a data attribute.
 * @param {string} name of the attribute, without `data-`
 * @returns {HTMLElement[]} in the order of the page
 */
export const allWith = (name) => Array.from(document.querySelectorAll(`[data-${name}]`))

/**
 * @param {HTMLElement} element
 * @param {string} text
 */
export function setText(element, text) {
  // A screen reader would read the same text again.
  if (element.textContent !== text) element.textContent = text
}

/**
 * The text of a control.
 * @param {HTMLFormElement} form
 * @param {string} name of the control
 * @returns {string} without spaces around it
 */
export function textOf(form, name) {
  const value = new FormData(form).get(name)
  return typeof value === 'string' ? value.trim() : ''
}

/** @typedef {import('../../settings.ts').PageName} PageName */

/**
 * What the server has written into a page for its script.
 * @template {PageName} Page
 * @param {Page} page the name of the page
 * @returns {import('../../settings.ts').ReadSettings<Page>}
 * @throws {Error} if this is another page
 */
export function readSettings(page) {
  /** @type {import('../../settings.ts').ReadSettings<Page>} */
  const settings = JSON.parse(byId('settings', HTMLScriptElement).text)
  if (settings.page !== page) throw new Error(`This is the page ${settings.page}, not ${page}.`)
  return settings
}
