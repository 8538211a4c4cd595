/** @typedef {import('../../settings.ts').DocsSettings} DocsSettings */

/** The keys of a path that are operations: others, such as `parameters`, belong to all of them. */
const METHODS = /** @type {const} */ (['get', 'put', 'post', 'patch', 'delete'])

/** @typedef {Record<string, { description: string, 'x-addition'?: boolean }>} Responses */
/** @typedef {{ operationId: string, responses?: Responses, externalDocs?: DocsSettings['equivalents'][string] }} Operation */

/**
 * What the docs page changes in the contract.
 * @typedef {{
 *   paths: Record<string, Partial<Record<typeof METHODS[number], Operation>>>
 *   components?: { responses?: Responses }
 * }} Contract
 */

/**
 * Reads the contract, and adds what only people need: links to GraphiQL, which must not be relative in the contract itself, and a mark at
 * responses that are additions, since generators of clients make descriptions of responses the messages of errors.
 * @param {string} address of the published contract
 * @param {DocsSettings['equivalents']} equivalents
 * @returns {Promise<Contract>}
 */
export async function readContract(address, equivalents) {
  const published = await fetch(address)
  const contract = /** @type {Contract} */ (await published.json())
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
