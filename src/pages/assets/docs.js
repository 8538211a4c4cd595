/** Prepares the page for Scalar, whose script runs after this one, and starts it. */
import { byId, readSettings, showLoading } from './dom.js'
import { KeyForm } from './key-form.js'

/** @typedef {{ description: string, url: string }} ExternalDocs */

const { key: pageKey, equivalents } =
  /** @type {{ key: string | null, equivalents: Record<string, ExternalDocs> }} */ (readSettings())

const docs = byId('docs', HTMLElement)
showLoading(docs)
const keyForm = new KeyForm(docs)

// Scalar keeps the key in localStorage, where it would outlive the session.
Object.defineProperty(window, 'localStorage', { value: sessionStorage })

/**
 * What Scalar gets wrong for screen readers: attributes by selector; null removes one.
 * @type {[string, Record<string, string | null>][]}
 */
const REPAIRS = [
  ['button[class*=copy-button]:not([aria-label])', { 'aria-label': 'Copy', 'aria-controls': null }],
  ['.cm-content[role=textbox]:not([aria-label])', { 'aria-label': 'Code' }],
  ['[role=combobox]:not([aria-expanded])', { 'aria-expanded': 'false' }],
  ['button[role=none]', { role: 'button' }],
  // Its header on phones, with the menu, is not the page's.
  ['.t-doc__header', { role: 'navigation', 'aria-label': 'Operations' }],
  ['.t-doc__header > header', { role: 'none' }],
  // The dialog has a main element and notifications too.
  ['#docs:has(.scalar-client--open) .references-rendered', { inert: '' }],
  ['#docs:not(:has(.scalar-client--open)) .references-rendered[inert]', { inert: null }],
  ['[role=dialog] > section[aria-label]', { 'aria-label': 'Notifications of the request' }],
]

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
    for (const node of button.childNodes) if (node.nodeValue === 'bearerAuth') node.nodeValue = 'API key'
}

addEventListener('DOMContentLoaded', () => {
  new MutationObserver(repair).observe(document.body, {
    childList: true,
    subtree: true,
    attributeFilter: ['class'],
  })
  void keyForm
    .start(pageKey, { isNeeded: false })
    .then(openDocs)
    .catch(() => (docs.textContent = 'The contract could not be loaded. Reload the page.'))
})

/** @typedef {Record<string, { description: string, 'x-addition'?: boolean }>} Responses */

/**
 * @typedef {{
 *   paths: Record<string, Record<string, { operationId: string, responses: Responses, externalDocs?: ExternalDocs }>>
 *   components: { responses: Responses }
 * }} Contract
 */

/**
 * The contract, with what only people need: links to GraphiQL, which must not be relative elsewhere, and a mark at responses that are
 * additions, whose descriptions generators make the messages of errors.
 * @returns {Promise<Contract>}
 */
async function readContract() {
  const response = await fetch('./v1/openapi.json')
  const contract = /** @type {Contract} */ (await response.json())
  const operations = Object.values(contract.paths).flatMap((methods) => Object.values(methods))
  for (const operation of operations) {
    const link = equivalents[operation.operationId]
    if (link) operation.externalDocs = { ...link, url: new URL(link.url, location.href).href }
  }
  for (const responses of [contract.components.responses, ...operations.map(({ responses }) => responses)])
    for (const response of Object.values(responses))
      if (response['x-addition']) response.description += ' *Addition.*'
  return contract
}

/** @param {import('./api-key.js').Key | null} key */
async function openDocs(key) {
  const content = await readContract()
  keyForm.askWhenRejected()
  // Scalar would use existing content as its own HTML.
  docs.replaceChildren()
  Scalar.createApiReference('#docs', {
    content,
    authentication: {
      preferredSecurityScheme: 'bearerAuth',
      securitySchemes: { bearerAuth: { token: key?.token ?? '' } },
    },
    persistAuth: true,
    // Nothing is sent to other servers.
    proxyUrl: '',
    telemetry: false,
    withDefaultFonts: false,
    showDeveloperTools: 'never',
    hideClientButton: true,
    // There is only one type; Scalar's longer text hides that authentication is required.
    localization: { translations: { apiClient: { authSelector: { selectedType: '{type}' } } } },
    agent: { disabled: true },
    mcp: { disabled: true },
    generateOperationSlug: (/** @type {{ operationId: string }} */ { operationId }) => operationId,
  })
}
