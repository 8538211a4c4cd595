import { type ReactNode, useId } from 'react'

/** What a control needs, so that its label and its problem are also read aloud. */
interface ControlProps {
  id: string
  'aria-invalid': boolean
  'aria-describedby': string | undefined
}

interface FieldProps {
  label: string
  problem?: string | undefined
  children: (props: ControlProps) => ReactNode
}

/** A control with its label, and with what the server says about its value. */
export function Field({ label, problem, children }: FieldProps) {
  const id = useId()
  const describedBy = problem === undefined ? undefined : `${id}-problem`
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      {children({ id, 'aria-invalid': problem !== undefined, 'aria-describedby': describedBy })}
      {problem !== undefined && (
        <p id={describedBy} className="problem">
          {problem}
        </p>
      )}
    </div>
  )
}
