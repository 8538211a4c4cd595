/** Lists that have grown page by page are read again as one page, which may be longer than those of the API. */

/** The maximum of `first`. */
const MAX_FIRST = 100

/** The `first` for all pages that a list shows, the last of which may have room for more. @param first of one page */
export const firstOf = (shown: number, first: number): number => Math.max(1, Math.ceil(shown / first)) * first

interface Page {
  edges: unknown[]
  pageInfo: { hasNextPage: boolean; endCursor: string | null }
}

interface Body {
  variables?: { first?: number; after?: string | null }
}

/** Like `fetch`, for requests to the GraphQL API: one for the first 250 pets becomes three, and their edges become one response. */
export const fetchLongPages: typeof fetch = async (input, init) => {
  const body = typeof init?.body === 'string' ? (JSON.parse(init.body) as Body) : {}
  const { first = 0, after = null } = body.variables ?? {}
  if (first <= MAX_FIRST) return fetch(input, init)
  const edges: unknown[] = []
  for (let cursor = after; ;) {
    const variables = { ...body.variables, first: Math.min(MAX_FIRST, first - edges.length), after: cursor }
    const response = await fetch(input, { ...init, body: JSON.stringify({ ...body, variables }) })
    const answer = (await response.clone().json()) as { data?: { pets?: Page | null } | null }
    const pets = answer.data?.pets
    // An error, which the client handles.
    if (!pets) return response
    edges.push(...pets.edges)
    cursor = pets.pageInfo.endCursor
    if (edges.length >= first || !pets.pageInfo.hasNextPage)
      return Response.json({ ...answer, data: { ...answer.data, pets: { ...pets, edges } } })
  }
}
