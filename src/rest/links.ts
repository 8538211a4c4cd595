/** The links of a reply to other pages of a list (RFC 8288). */

/** A page of a list, as an operation replies with it. @param Query the query parameters of the operation, one of which is `after` */
export interface Page<Query = Record<string, string | number | undefined>> {
  /** Of the list, relative to the contract's base URL. */
  path: string
  /** All parameters but the cursor, as validated: those that have a default are in the links also if they were not sent. */
  query: { [Name in Exclude<keyof Query, 'after'>]-?: Query[Name] | undefined }
  pageInfo: { hasNextPage: boolean; endCursor: string | null }
}

/** The value of the header Link, which leads to the first page and the next one. @param baseUrl that of the contract: …/v1 */
export function toLinkHeader({ path, query: sent, pageInfo }: Page, baseUrl: string): string {
  const toLink = (relation: string, after: string | null) => {
    const parameters = Object.entries<string | number | null | undefined>({ ...sent, after }).flatMap(
      ([name, value]) => (value == null ? [] : [[name, String(value)]]),
    )
    const query = parameters.length > 0 ? `?${new URLSearchParams(parameters).toString()}` : ''
    return `<${baseUrl}${path}${query}>; rel="${relation}"`
  }
  const first = toLink('first', null)
  return pageInfo.hasNextPage ? `${first}, ${toLink('next', pageInfo.endCursor)}` : first
}
