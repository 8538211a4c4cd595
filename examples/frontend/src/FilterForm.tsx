import { useEffect, useRef } from 'react'
import { problemOf } from './api.ts'
import { categoryProblem } from './category-problem.ts'
import { Field } from './Field.tsx'
import { formTexts } from './form-texts.ts'
import type { PetFilter } from './generated/graphql.ts'
import { readStatus, StatusOptions } from './status.tsx'

/** Milliseconds after the last letter, so that not each one is a request. */
const PAUSE = 300

/** @param error of the list with this filter */
export function FilterForm({ error, onChange }: { error: unknown; onChange: (filter: PetFilter) => void }) {
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => () => clearTimeout(timer.current), [])

  function change(form: HTMLFormElement) {
    clearTimeout(timer.current)
    timer.current = setTimeout(() => onChange(readForm(form)), PAUSE)
  }

  return (
    <form
      className="filter"
      role="search"
      onChange={(event) => change(event.currentTarget)}
      onSubmit={(event) => event.preventDefault()}
    >
      <Field label="Name begins with" problem={problemOf(error, 'filter.namePrefix')}>
        {(props) => <input {...props} name="namePrefix" type="search" autoComplete="off" />}
      </Field>
      <Field label="In category" problem={categoryProblem(error, 'filter.categoryId')}>
        {(props) => (
          <input {...props} name="categoryId" type="search" inputMode="numeric" autoComplete="off" />
        )}
      </Field>
      <Field label="With status" problem={problemOf(error, 'filter.status')}>
        {(props) => (
          <select {...props} name="status">
            <StatusOptions none="Any" />
          </select>
        )}
      </Field>
    </form>
  )
}

/** Null does not restrict the list. */
function readForm(form: HTMLFormElement): PetFilter {
  const text = formTexts(form)
  const status = readStatus(text('status'))
  return {
    status: status && [status],
    categoryId: text('categoryId') ? [text('categoryId')] : null,
    namePrefix: text('namePrefix') || null,
  }
}
