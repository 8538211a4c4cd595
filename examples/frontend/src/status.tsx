import type { PetStatus } from './generated/graphql.ts'
import type { PetCounts } from './use-pets.ts'

/** Complete: a status that is missing, or not in the schema, does not compile. */
const LABELS: Record<PetStatus, string> = { available: 'Available', pending: 'Pending', sold: 'Sold' }

const isStatus = (value: string): value is PetStatus => Object.hasOwn(LABELS, value)

/** @param value of the selected option @returns null for the one without a status */
export const readStatus = (value: string): PetStatus | null => (isStatus(value) ? value : null)

/** @param none the label of the option without a status */
export function StatusOptions({ none }: { none: string }) {
  return (
    <>
      <option value="">{none}</option>
      {Object.entries(LABELS).map(([status, label]) => (
        <option key={status} value={status}>
          {label}
        </option>
      ))}
    </>
  )
}

const labelOf = (status: PetStatus | null) => (status ? LABELS[status] : 'Not set')

export function StatusBadge({ status }: { status: PetStatus | null }) {
  return <span className={status ? `badge ${status}` : ''}>{labelOf(status)}</span>
}

/** Such as: Available 12 · Pending 3 · Sold 5 · Not set 0 */
export function StatusCounts({ counts }: { counts: PetCounts }) {
  // No line ends within a count.
  const texts = counts.map(({ status, count }) => `${labelOf(status)} ${count}`.replaceAll(' ', '\u00a0'))
  return <p className="counts">{texts.join(' · ')}</p>
}
