import { useEffect, useRef, useState } from 'react'
import { describe, isAtField, isOutdated } from './api.ts'
import { deletePet, updatePet } from './changes.ts'
import type { PetChanges, PetFieldsFragment as Pet } from './generated/graphql.ts'
import { focusInvalid, PetFields, readPet } from './PetFields.tsx'

interface Props {
  apiKey: string
  pet: Pet
  /** The pet is no longer what the form shows. */
  onOutdated: (error: unknown) => void
  onClose: () => void
}

/** Changes or deletes one pet. */
export function PetDialog({ apiKey, pet, onOutdated, onClose }: Props) {
  const [error, setError] = useState<unknown>()
  const [isSending, setIsSending] = useState(false)
  const dialog = useRef<HTMLDialogElement>(null)
  const form = useRef<HTMLFormElement>(null)

  // Modal: the browser keeps the focus inside, and Escape closes it.
  useEffect(() => dialog.current?.showModal(), [])
  useEffect(() => focusInvalid(form.current), [error])

  // The browser gives the focus back to the button that opened it.
  const close = () => dialog.current?.close()

  async function run(change: () => Promise<void>) {
    setIsSending(true)
    try {
      await change()
      close()
    } catch (error) {
      if (isOutdated(error)) {
        onOutdated(error)
        close()
        return
      }
      setError(error)
      setIsSending(false)
    }
  }

  return (
    <dialog className="card" ref={dialog} onClose={onClose} aria-labelledby="pet-dialog">
      <form
        ref={form}
        onSubmit={(event) => {
          event.preventDefault()
          const changes = changesOf(pet, readPet(event.currentTarget))
          void run(() => updatePet(apiKey, pet, changes))
        }}
      >
        <h2 id="pet-dialog">
          Edit <bdi>{pet.name}</bdi>
        </h2>
        <PetFields pet={pet} error={error} />
        <Buttons
          isSending={isSending}
          onCancel={close}
          onDelete={() => void run(() => deletePet(apiKey, pet))}
        />
        <p role="alert">{error !== undefined && !isAtField(error) && describe(error)}</p>
      </form>
    </dialog>
  )
}

interface ButtonsProps {
  isSending: boolean
  onCancel: () => void
  onDelete: () => void
}

function Buttons({ isSending, onCancel, onDelete }: ButtonsProps) {
  return (
    <div className="buttons">
      <button type="submit" disabled={isSending}>
        Save
      </button>
      <button type="button" className="quiet" onClick={onCancel}>
        Cancel
      </button>
      <button type="button" className="quiet bad" disabled={isSending} onClick={onDelete}>
        Delete
      </button>
    </div>
  )
}

/** Only the fields that differ, so that the changes of other users are kept. */
function changesOf(pet: Pet, edited: Required<PetChanges>): PetChanges {
  const changes: PetChanges = {}
  if (edited.name !== pet.name) changes.name = edited.name
  if (edited.categoryId !== pet.categoryId) changes.categoryId = edited.categoryId
  if (edited.status !== pet.status) changes.status = edited.status
  return changes
}
