import { useEffect, useState } from 'react'
import { request } from './api.ts'
import { type PetFilter, PetsDocument, type PetsQuery } from './generated/graphql.ts'
import { type PetEvent, subscribe } from './live.ts'

/** Milliseconds: many events in a row are one more read. */
const READ_AFTER = 300

export interface PetList {
  /** The page as last read; undefined before the first. */
  page: PetsQuery['pets'] | undefined
  /** The number of pets on all pages, as counted with the first; undefined before. */
  total: number | undefined
  error: unknown
  /** Whether changes arrive now. */
  isLive: boolean
  /** The latest event. */
  event: PetEvent | undefined
  /** Reads the page again. */
  reload: () => void
}

/**
 * One page of the list, read again after each change that concerns the filter, and whenever the connection is back. An event alone
 * would not do: it does not say whether the pet is on this page.
 * @param filter must be the same object until it changes
 */
export function usePets(apiKey: string, filter: PetFilter, after: string | null): PetList {
  const [read, setRead] = useState<Pick<PetList, 'page' | 'total' | 'error'>>({
    page: undefined,
    total: undefined,
    error: undefined,
  })
  const [live, setLive] = useState<Pick<PetList, 'isLive' | 'event'>>({ isLive: false, event: undefined })
  /** Counts the reasons to read the page again. */
  const [version, setVersion] = useState(0)

  useEffect(() => {
    const abort = new AbortController()
    // Counting is expensive, so only the first page does it.
    const variables = { filter, after, counts: after === null }
    request(apiKey, PetsDocument, variables, abort.signal).then(
      ({ pets }) =>
        setRead(({ total }) => ({ page: pets, total: pets.totalCount ?? total, error: undefined })),
      (error: unknown) => {
        // What was read last stays on the screen.
        if (!abort.signal.aborted) setRead((last) => ({ ...last, error }))
      },
    )
    return () => abort.abort()
  }, [apiKey, filter, after, version])

  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    const readSoon = () => {
      timer ??= setTimeout(() => {
        timer = undefined
        setVersion((number) => number + 1)
      }, READ_AFTER)
    }
    const unsubscribe = subscribe(apiKey, filter, {
      onLive() {
        setLive({ isLive: true, event: undefined })
        readSoon()
      },
      onEvent(event) {
        setLive({ isLive: true, event })
        readSoon()
      },
      onLost: () => setLive({ isLive: false, event: undefined }),
    })
    return () => {
      unsubscribe()
      clearTimeout(timer)
    }
  }, [apiKey, filter])

  return { ...read, ...live, reload: () => setVersion((number) => number + 1) }
}
