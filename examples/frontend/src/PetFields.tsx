import { problemOf } from './api.ts'
import { categoryProblem } from './category-problem.ts'
import { Field } from './Field.tsx'
import { formTexts } from './form-texts.ts'
import type { NewPet } from './generated/graphql.ts'
import { readStatus, StatusOptions } from './status.tsx'

/** The controls of a pet's fields. @param pet what they show at first @param error of the request that sent them */
export function PetFields({ pet, error }: { pet?: NewPet; error: unknown }) {
  return (
    <>
      <Field label="Name" problem={problemOf(error, 'input.name')}>
        {(props) => (
          <input
            {...props}
            name="name"
            defaultValue={pet?.name}
            required
            pattern=".*\S.*"
            title="Not only spaces"
            autoComplete="off"
          />
        )}
      </Field>
      {/* As text: a number would be rounded beyond 2^53. */}
      <Field label="Category" problem={categoryProblem(error, 'input.categoryId')}>
        {(props) => (
          <input
            {...props}
            name="categoryId"
            defaultValue={pet?.categoryId}
            inputMode="numeric"
            required
            autoComplete="off"
          />
        )}
      </Field>
      <Field label="Status" problem={problemOf(error, 'input.status')}>
        {(props) => (
          <select {...props} name="status" defaultValue={pet?.status ?? ''}>
            <StatusOptions none="Not set" />
          </select>
        )}
      </Field>
    </>
  )
}

export function readPet(form: HTMLFormElement): Required<NewPet> {
  const text = formTexts(form)
  return { name: text('name'), categoryId: text('categoryId'), status: readStatus(text('status')) }
}

export const focusInvalid = (form: HTMLFormElement | null): void =>
  form?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus()
