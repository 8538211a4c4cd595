import { useEffect, useState } from 'react'
import { ApiError, describe, isAtField } from './api.ts'
import { FilterForm } from './FilterForm.tsx'
import type { PetFilter } from './generated/graphql.ts'
import { StatusBadge } from './status.tsx'
import { type PetList as List, usePets } from './use-pets.ts'

interface Props {
  apiKey: string
  onUnauthorized: (reason: string) => void
}

export function PetList({ apiKey, onUnauthorized }: Props) {
  const [filter, setFilter] = useState<PetFilter>({})
  /** The cursor that each page begins after, up to this page; the first begins after null. */
  const [cursors, setCursors] = useState<(string | null)[]>([null])
  const { page, error, isLive, event } = usePets(apiKey, filter, cursors.at(-1) ?? null)

  useEffect(() => {
    if (error instanceof ApiError && error.code === 'UNAUTHORIZED') onUnauthorized(error.message)
  }, [error, onUnauthorized])

  return (
    <section className="card" aria-labelledby="pets">
      <div className="title">
        <h2 id="pets">Pets</h2>
        <p role="status" className={isLive ? 'live' : ''}>
          {isLive ? 'Live' : 'Not live'}
        </p>
      </div>
      <FilterForm
        error={error}
        onChange={(filter) => {
          setFilter(filter)
          // A cursor belongs to the list that it came from.
          setCursors([null])
        }}
      />
      <p role="alert">{error !== undefined && !isAtField(error) && describe(error)}</p>
      {page ? <PetTable pets={page.nodes} event={event} /> : error === undefined && <p>Loading…</p>}
      <nav aria-label="Pages">
        <button
          type="button"
          disabled={cursors.length === 1}
          onClick={() => setCursors((cursors) => cursors.slice(0, -1))}
        >
          Previous
        </button>
        <span>Page {cursors.length}</span>
        <button
          type="button"
          disabled={!page?.pageInfo.hasNextPage}
          onClick={() => page && setCursors((cursors) => [...cursors, page.pageInfo.endCursor])}
        >
          Next
        </button>
      </nav>
      <p role="status" className="event">
        {event && `${event.pet.name} (${event.pet.id}) was ${event.kind}.`}
      </p>
    </section>
  )
}

function PetTable({ pets, event }: { pets: NonNullable<List['page']>['nodes']; event: List['event'] }) {
  if (pets.length === 0) return <p>No pet matches.</p>
  return (
    <table>
      <thead>
        <tr>
          <th scope="col">Id</th>
          <th scope="col">Name</th>
          <th scope="col">Category</th>
          <th scope="col">Status</th>
        </tr>
      </thead>
      <tbody>
        {pets.map(({ id, name, categoryId, status }) => (
          <tr key={id} className={id === event?.pet.id ? 'changed' : ''}>
            <td>{id}</td>
            <th scope="row">{name}</th>
            <td>{categoryId}</td>
            <td>
              <StatusBadge status={status} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
