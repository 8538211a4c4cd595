import { type SubmitEvent, useEffect, useRef, useState } from 'react'
import { ApiError, describe, isAtField, problemOf, request } from './api.ts'
import { categoryProblem } from './category-problem.ts'
import { Field } from './Field.tsx'
import { formTexts } from './form-texts.ts'
import { CreatePetDocument, type CreatePetMutation, type NewPet } from './generated/graphql.ts'
import { readStatus, StatusOptions } from './status.tsx'

type State = { error?: unknown; isSending?: boolean; created?: CreatePetMutation['createPet'] }

export function NewPetForm({ apiKey }: { apiKey: string }) {
  const [{ error, isSending = false, created }, setState] = useState<State>({})
  const form = useRef<HTMLFormElement>(null)
  const keys = useIdempotencyKeys()

  async function submit(event: SubmitEvent<HTMLFormElement>) {
    event.preventDefault()
    const input = readForm(event.currentTarget)
    setState({ isSending: true })
    try {
      const idempotencyKey = keys.of(input)
      const { createPet } = await request(apiKey, CreatePetDocument, { input, idempotencyKey })
      keys.forget()
      setState({ created: createPet })
      form.current?.reset()
      form.current?.querySelector('input')?.focus()
    } catch (error) {
      setState({ error })
    }
  }

  useEffect(() => {
    form.current?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus()
  }, [error])

  const isUnclear = error !== undefined && !(error instanceof ApiError)
  return (
    <form className="card" ref={form} onSubmit={(event) => void submit(event)}>
      <h2>New pet</h2>
      <Field label="Name" problem={problemOf(error, 'input.name')}>
        {(props) => <input {...props} name="name" required autoComplete="off" />}
      </Field>
      {/* As text: a number would be rounded beyond 2^53. */}
      <Field label="Category" problem={categoryProblem(error, 'input.categoryId')}>
        {(props) => <input {...props} name="categoryId" inputMode="numeric" required autoComplete="off" />}
      </Field>
      <Field label="Status" problem={problemOf(error, 'input.status')}>
        {(props) => (
          <select {...props} name="status">
            <StatusOptions none="Not set" />
          </select>
        )}
      </Field>
      <button type="submit" disabled={isSending}>
        {isUnclear ? 'Try again' : 'Create'}
      </button>
      <p role="status">{created && `Created ${created.name} with the id ${created.id}.`}</p>
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

function readForm(form: HTMLFormElement): NewPet {
  const text = formTexts(form)
  return { name: text('name'), categoryId: text('categoryId'), status: readStatus(text('status')) }
}
