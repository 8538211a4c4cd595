import { useEffect, useState } from 'react'
import { API_URL, isTemporary, request } from './api.ts'
import {
  PetChangedDocument,
  type PetChangedSubscription,
  type PetFilter,
  PetsDocument,
  type PetsQuery,
} from './generated/graphql.ts'
import { delayBefore, subscribe } from './live.ts'

export type PetEvent = PetChangedSubscription['petChanged']
export type PetCounts = NonNullable<PetsQuery['petCounts']>

export interface PetList {
  /** The page as last read; undefined before the first. */
  page: PetsQuery['pets'] | undefined
  /** The number of pets with each status, whatever the filter says about it, as counted with the first page; undefined before. */
  counts: PetCounts | undefined
  error: unknown
  /** Whether changes arrive now. */
  isLive: boolean
  /** The latest event. */
  event: PetEvent | undefined
}

/**
 * One page of the list, read again after each change that concerns the filter, and whenever the connection is back. An event alone
 * would not do: it does not say whether the pet is on this page.
 * @param filter must be the same object until it changes
 * @param changes the number of changes that this page has made: their events may be late, or not arrive
 */
export function usePets(apiKey: string, filter: PetFilter, after: string | null, changes: number): PetList {
  const { version, ...live } = useEvents(apiKey, filter)
  return { ...usePage(apiKey, filter, after, version + changes), ...live }
}

/** @param version a new one is a reason to read the page again */
function usePage(apiKey: string, filter: PetFilter, after: string | null, version: number) {
  const [read, setRead] = useState<Pick<PetList, 'page' | 'counts' | 'error'>>({
    page: undefined,
    counts: undefined,
    error: undefined,
  })
  useEffect(() => {
    const abort = new AbortController()
    let timer: ReturnType<typeof setTimeout> | undefined
    // Counting is expensive, so only the first page does it.
    const variables = { filter, after, counts: after === null, counted: { ...filter, status: null } }
    async function readPage(attempt: number): Promise<void> {
      try {
        const { pets, petCounts } = await request(apiKey, PetsDocument, variables, abort.signal)
        setRead(({ counts }) => ({ page: pets, counts: petCounts ?? counts, error: undefined }))
      } catch (error) {
        if (abort.signal.aborted) return
        // What was read last stays on the screen.
        setRead((last) => ({ ...last, error }))
        if (isTemporary(error)) timer = setTimeout(() => void readPage(attempt + 1), delayBefore(attempt))
      }
    }
    void readPage(0)
    return () => {
      abort.abort()
      clearTimeout(timer)
    }
  }, [apiKey, filter, after, version])
  return read
}

function useEvents(apiKey: string, filter: PetFilter) {
  const [live, setLive] = useState<Pick<PetList, 'isLive' | 'event'>>({ isLive: false, event: undefined })
  /** Counts the reasons to read the page again. */
  const [version, setVersion] = useState(0)
  useEffect(
    () =>
      subscribe<PetChangedSubscription>(
        { query: PetChangedDocument.toString(), variables: { filter } },
        {
          next: ({ data }) => data && setLive({ isLive: true, event: data.petChanged }),
          // The list, which is read with the same key and filter, shows why.
          error: () => undefined,
          complete: () => undefined,
        },
        {
          url: API_URL,
          apiKey,
          onLive: () => setLive({ isLive: true, event: undefined }),
          onNews: () => setVersion((number) => number + 1),
          onLost: () => setLive({ isLive: false, event: undefined }),
        },
      ),
    [apiKey, filter],
  )
  return { ...live, version }
}
