/** What the contract calls its only way of authentication. */
export const SECURITY_SCHEME = 'bearerAuth'

/**
 * What Scalar (1.72.1) gets wrong for screen readers: attributes by selector; null removes one. Scalar documents none of these
 * classes: test/tools/library-selectors.test.ts fails if one finds nothing any more.
 * @type {[string, Record<string, string | null>][]}
 */
export const REPAIRS = [
  ['button[class*=copy-button]:not([aria-label])', { 'aria-label': 'Copy', 'aria-controls': null }],
  ['.cm-content[role=textbox]:not([aria-label])', { 'aria-label': 'Code' }],
  ['[role=combobox]:not([aria-expanded])', { 'aria-expanded': 'false' }],
  ['button[role=none]', { role: 'button' }],
  // Scalar's header on phones, with the menu, is not the header of the page.
  ['.t-doc__header', { role: 'navigation', 'aria-label': 'Operations' }],
  ['.t-doc__header > header', { role: 'none' }],
  // The dialog has a main element and notifications too.
  ['#docs:has(.scalar-client--open) .references-rendered', { inert: '' }],
  ['#docs:not(:has(.scalar-client--open)) .references-rendered[inert]', { inert: null }],
  ['[role=dialog] > section[aria-label]', { 'aria-label': 'Notifications of the request' }],
]

/** Repairs what Scalar has shown so far. */
function repair() {
  for (const [selector, attributes] of REPAIRS) {
    for (const element of document.querySelectorAll(selector)) {
      for (const [name, value] of Object.entries(attributes)) {
        if (value === null) element.removeAttribute(name)
        else element.setAttribute(name, value)
      }
    }
  }
  // The scheme's name in the contract means nothing to readers.
  for (const button of document.querySelectorAll('button'))
    for (const node of button.childNodes) if (node.nodeValue === SECURITY_SCHEME) node.nodeValue = 'API key'
}

/** Repairs what Scalar shows, whenever it shows something else. */
export function keepRepaired() {
  new MutationObserver(repair).observe(document.body, {
    childList: true,
    subtree: true,
    attributeFilter: ['class'],
  })
}
