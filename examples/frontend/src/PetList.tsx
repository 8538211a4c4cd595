import { useEffect, useState } from 'react'
import { ApiError, describe, isAtField } from './api.ts'
import { sellPet } from './changes.ts'
import { FilterForm } from './FilterForm.tsx'
import type { PetFieldsFragment as Pet, PetFilter } from './generated/graphql.ts'
import { PetDialog } from './PetDialog.tsx'
import { StatusBadge, StatusCounts } from './status.tsx'
import { type PetCounts, type PetList as List, usePets } from './use-pets.ts'

interface Props {
  apiKey: string
  /** The number of changes so far. */
  changes: number
  /** Something has changed, or may have. */
  onChange: () => void
  onUnauthorized: (reason: string) => void
}

/** What a page begins after; null: it is the first. */
type Cursor = string | null

export function PetList({ apiKey, changes, onChange, onUnauthorized }: Props) {
  const [filter, setFilter] = useState<PetFilter>({})
  /** Those of the pages up to this one. */
  const [cursors, setCursors] = useState<Cursor[]>([null])
  const { page, counts, error, isLive, event } = usePets(apiKey, filter, cursors.at(-1) ?? null, changes)
  /** The pet that the dialog edits. */
  const [edited, setEdited] = useState<Pet>()
  const [problem, setProblem] = useState<unknown>()

  useEffect(() => {
    if (error instanceof ApiError && error.code === 'UNAUTHORIZED') onUnauthorized(error.message)
  }, [error, onUnauthorized])

  function changeFilter(changed: PetFilter) {
    setFilter(changed)
    // A cursor belongs to the list that it came from.
    setCursors([null])
  }

  /** Reads the list again even if it fails: the pet may be another than shown, or the answer lost. */
  function sell(pet: Pet) {
    setProblem(undefined)
    void sellPet(apiKey, pet).catch(setProblem).finally(onChange)
  }

  function edit(pet: Pet) {
    setProblem(undefined)
    setEdited(pet)
  }

  function endEdit() {
    setEdited(undefined)
    onChange()
  }

  const shown = error ?? problem
  const total = counts && totalOf(counts, filter)
  return (
    <section className="card" aria-labelledby="pets">
      <div className="title">
        <h2 id="pets">Pets</h2>
        <p role="status" className={isLive ? 'live' : ''}>
          {isLive ? 'Live' : 'Not live'}
        </p>
      </div>
      <FilterForm error={error} onChange={changeFilter} />
      {counts && <StatusCounts counts={counts} />}
      <p role="alert">{shown !== undefined && !isAtField(shown) && describe(shown)}</p>
      {page && page.nodes.length > 0 && (
        <PetTable pets={page.nodes} event={event} onSell={sell} onEdit={edit} />
      )}
      {page?.nodes.length === 0 && <p>{isFiltered(filter) ? 'No pet matches.' : 'There are no pets.'}</p>}
      {!page && error === undefined && <p>Loading…</p>}
      <PageButtons page={page} total={total} cursors={cursors} onTurn={setCursors} />
      <p role="status" className="event">
        {event && (
          <>
            <bdi>{event.pet.name}</bdi> ({event.pet.id}) was {event.kind}.
          </>
        )}
      </p>
      {edited && <PetDialog apiKey={apiKey} pet={edited} onOutdated={setProblem} onClose={endEdit} />}
    </section>
  )
}

/** Whether at least one condition restricts the list. */
const isFiltered = (filter: PetFilter): boolean =>
  Object.values(filter).some((condition) => condition !== null)

/** The number of pets on all pages. */
const totalOf = (counts: PetCounts, { status: statuses }: PetFilter): number =>
  counts
    .filter(({ status }) => !statuses || (status !== null && statuses.includes(status)))
    .reduce((sum, { count }) => sum + count, 0)

interface PagesProps {
  page: List['page']
  total: number | undefined
  cursors: readonly Cursor[]
  onTurn: (cursors: Cursor[]) => void
}

function PageButtons({ page, total, cursors, onTurn }: PagesProps) {
  return (
    <nav aria-label="Pages">
      <button type="button" disabled={cursors.length === 1} onClick={() => onTurn(cursors.slice(0, -1))}>
        Previous
      </button>
      <span>
        Page {cursors.length}
        {total !== undefined && `, ${total} ${total === 1 ? 'pet' : 'pets'}`}
      </span>
      <button
        type="button"
        disabled={!page?.pageInfo.hasNextPage}
        onClick={() => page && onTurn([...cursors, page.pageInfo.endCursor])}
      >
        Next
      </button>
    </nav>
  )
}

interface TableProps {
  pets: readonly Pet[]
  event: List['event']
  onSell: (pet: Pet) => void
  onEdit: (pet: Pet) => void
}

function PetTable({ pets, event, onSell, onEdit }: TableProps) {
  return (
    <table>
      <thead>
        <tr>
          <th scope="col">Id</th>
          <th scope="col">Name</th>
          <th scope="col">Category</th>
          <th scope="col">Status</th>
          <td />
        </tr>
      </thead>
      <tbody>
        {pets.map((pet) => (
          <tr key={pet.id} className={pet.id === event?.pet.id ? 'changed' : ''}>
            <td>{pet.id}</td>
            <th scope="row">
              {/* In the direction of its own script, which may not be that of the page. */}
              <bdi>{pet.name}</bdi>
            </th>
            <td>{pet.categoryId}</td>
            <td>
              <StatusBadge status={pet.status} />
            </td>
            <td>
              {pet.status !== 'sold' && (
                <button
                  type="button"
                  className="sell"
                  aria-label={`Sell ${pet.name}`}
                  onClick={() => onSell(pet)}
                >
                  Sell
                </button>
              )}
              <button type="button" aria-label={`Edit ${pet.name}`} onClick={() => onEdit(pet)}>
                Edit
              </button>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
