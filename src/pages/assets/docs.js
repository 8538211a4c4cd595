/** Prepares the page for Scalar, whose script runs after this one, and starts it. */
import { byId, readSettings, showLoading } from './dom.js'
import { KeyForm } from './key-form.js'
import { keepRepaired, SECURITY_SCHEME } from './scalar-repairs.js'
import { limitToSession } from './storage.js'

/** @typedef {import('../settings.ts').DocsSettings} DocsSettings */
/** @typedef {import('../settings.ts').PageSettings<'docs'>} PageSettings */

const { key: pageKey, contract: contractAddress, equivalents } = /** @type {PageSettings} */ (readSettings())

const docs = byId('docs', HTMLElement)
showLoading(docs)
const keyForm = new KeyForm(docs, pageKey)

// Scalar keeps the key in localStorage, where it would outlive the session.
limitToSession()

addEventListener('DOMContentLoaded', () => {
  keepRepaired()
  void keyForm
    .start({ isNeeded: false })
    .then(openDocs)
    .catch((/** @type {unknown} */ error) => {
      docs.textContent = 'The contract could not be loaded. Reload the page.'
      // For the console: it may be a fault of the page.
      throw error
    })
})

/** The keys of a path that are operations: others, such as `parameters`, belong to all of them. */
const METHODS = /** @type {const} */ (['get', 'put', 'post', 'patch', 'delete'])

/** @typedef {Record<string, { description: string, 'x-addition'?: boolean }>} Responses */
/** @typedef {{ operationId: string, responses?: Responses, externalDocs?: DocsSettings['equivalents'][string] }} Operation */

/**
 * What this page uses of the contract.
 * @typedef {{
 *   paths: Record<string, Partial<Record<typeof METHODS[number], Operation>>>
 *   components?: { responses?: Responses }
 * }} Contract
 */

/**
 * The contract, with what only people need: links to GraphiQL, which must not be relative elsewhere, and a mark at responses that are
 * additions, whose descriptions generators make the messages of errors.
 * @returns {Promise<Contract>}
 */
async function readContract() {
  const response = await fetch(contractAddress)
  const contract = /** @type {Contract} */ (await response.json())
  const operations = Object.values(contract.paths).flatMap((path) =>
    METHODS.flatMap((name) => path[name] ?? []),
  )
  for (const operation of operations) {
    const link = equivalents[operation.operationId]
    if (link) operation.externalDocs = { ...link, url: new URL(link.url, location.href).href }
  }
  for (const { responses = {} } of [contract.components ?? {}, ...operations])
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
      preferredSecurityScheme: SECURITY_SCHEME,
      securitySchemes: { [SECURITY_SCHEME]: { token: key?.token ?? '' } },
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
