import { type SubmitEvent, useEffect, useRef, useState } from 'react'
import { ApiError, describe, isAtField, request } from './api.ts'
import { CreatePetDocument, type CreatePetMutation, type NewPet } from './generated/graphql.ts'
import { focusInvalid, PetFields, readPet } from './PetFields.tsx'

type State = { error?: unknown; isSending?: boolean; created?: CreatePetMutation['createPet'] }

export function NewPetForm({ apiKey, onChange }: { apiKey: string; onChange: () => void }) {
  const [{ error, isSending = false, created }, setState] = useState<State>({})
  const form = useRef<HTMLFormElement>(null)
  const keys = useIdempotencyKeys()

  async function submit(event: SubmitEvent<HTMLFormElement>) {
    event.preventDefault()
    const input = readPet(event.currentTarget)
    setState({ isSending: true })
    try {
      const idempotencyKey = keys.of(input)
      const { createPet } = await request(apiKey, CreatePetDocument, { input, idempotencyKey })
      keys.forget()
      onChange()
      setState({ created: createPet })
      form.current?.reset()
      form.current?.querySelector('input')?.focus()
    } catch (error) {
      setState({ error })
    }
  }

  useEffect(() => focusInvalid(form.current), [error])

  const isUnclear = error !== undefined && !(error instanceof ApiError)
  return (
    <form className="card" ref={form} onSubmit={(event) => void submit(event)}>
      <h2>New pet</h2>
      <PetFields error={error} />
      <button type="submit" disabled={isSending}>
        {isUnclear ? 'Try again' : 'Create'}
      </button>
      <p role="status">
        {created && (
          <>
            Created <bdi>{created.name}</bdi> with the id {created.id}.
          </>
        )}
      </p>
      <p role="alert">
        {error !== undefined && !isAtField(error) && describe(error)}
        {isUnclear && ' The pet may have been created; trying again will not create it twice.'}
      </p>
    </form>
  )
}

/**
 * An idempotency key belongs to one pet: it stays the same however often that pet is sent, until an answer says that it was created.
 * So a retry after a lost answer gets that answer, instead of a second pet.
 */
function useIdempotencyKeys() {
  const current = useRef({ pet: '', key: '' })
  return {
    of(input: NewPet): string {
      const pet = JSON.stringify(input)
      if (current.current.pet !== pet) current.current = { pet, key: crypto.randomUUID() }
      return current.current.key
    },
    forget: () => void (current.current = { pet: '', key: '' }),
  }
}
