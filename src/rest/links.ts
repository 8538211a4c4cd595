/** The links of a reply to other pages of a list (RFC 8288). */

/** Addresses relative to the contract's base URL, by link relation. */
export type Links = Readonly<Record<string, string>>

/**
 * The links of a page, to the first and the next one.
 * @param path relative to the contract's base URL
 * @param query all its other parameters as validated: those that have a default are in the links also if they were not sent
 */
export function toPageLinks(
  path: string,
  query: Readonly<Record<string, string | number | undefined>>,
  { hasNextPage, endCursor }: { hasNextPage: boolean; endCursor: string | null },
): Links {
  const toAddress = (after: string | null) => {
    const parameters = Object.entries<string | number | null | undefined>({ ...query, after }).flatMap(
      ([name, value]) => (value == null ? [] : [[name, String(value)]]),
    )
    return `${path}?${new URLSearchParams(parameters).toString()}`
  }
  return { first: toAddress(null), ...(hasNextPage && { next: toAddress(endCursor) }) }
}

/** The value of the header Link. @param baseUrl that of the contract: …/v1 */
export function toLinkHeader(links: Links, baseUrl: string): string {
  return Object.entries(links)
    .map(([relation, address]) => `<${baseUrl}${address}>; rel="${relation}"`)
    .join(', ')
}
