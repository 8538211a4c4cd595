/** Starts Scalar, which shows the contract, and sends the requests that are tried with the key of the tab. */
import { readContract } from './docs-contract.js'
import { byId, readSettings } from '../shared/dom.js'
import { KeyForm } from '../key/key-form.js'
import { keepRepaired, SECURITY_SCHEME } from './scalar-repairs.js'
import { startLibrary } from '../shared/start-library.js'
import { limitToSession } from '../shared/storage.js'

const { key: pageKey, contract: contractAddress, equivalents } = readSettings('docs')
const docs = byId('docs', HTMLElement)
const keyForm = new KeyForm(docs, pageKey)
// Scalar keeps the key in localStorage, where it would outlive the session.
limitToSession()

startLibrary(docs, 'The contract', async () => {
  keepRepaired()
  const key = await keyForm.start({ isNeeded: false })
  const contract = await readContract(contractAddress, equivalents)
  keyForm.askWhenRejected()
  openScalar(contract, key?.token ?? '')
})

/**
 * @param {object} contract
 * @param {string} token of the key; empty: there is none
 */
function openScalar(contract, token) {
  // Scalar would use existing content as its own HTML.
  docs.replaceChildren()
  Scalar.createApiReference(docs, {
    content: contract,
    authentication: {
      preferredSecurityScheme: SECURITY_SCHEME,
      securitySchemes: { [SECURITY_SCHEME]: { token } },
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
    generateOperationSlug: ({ operationId = '' }) => operationId,
  })
}
