import { type SubmitEvent, useState } from 'react'
import { Field } from './Field.tsx'
import { formTexts } from './form-texts.ts'
import { NewPetForm } from './NewPetForm.tsx'
import { PetList } from './PetList.tsx'

/** For the session of this tab only. Anyone who can open a page can read what it stores: see docs/frontends.md, "Requests". */
const STORED_KEY = 'pet-store-api-key'

export function App() {
  const [apiKey, setApiKey] = useState(() => sessionStorage.getItem(STORED_KEY))
  const [problem, setProblem] = useState<string>()
  /** Counts what this page has changed, or may have changed. */
  const [changes, setChanges] = useState(0)
  const onChange = () => setChanges((number) => number + 1)

  function signIn(key: string) {
    sessionStorage.setItem(STORED_KEY, key)
    setApiKey(key)
    setProblem(undefined)
  }

  function signOut(reason?: string) {
    sessionStorage.removeItem(STORED_KEY)
    setApiKey(null)
    setProblem(reason)
  }

  return (
    <>
      <header>
        <h1>Pet Store</h1>
        {apiKey !== null && (
          <button type="button" className="quiet" onClick={() => signOut()}>
            Forget the key
          </button>
        )}
      </header>
      {apiKey === null ? (
        <main>
          <KeyForm problem={problem} onSubmit={signIn} />
        </main>
      ) : (
        <main className="columns">
          <PetList apiKey={apiKey} changes={changes} onChange={onChange} onUnauthorized={signOut} />
          <NewPetForm apiKey={apiKey} onChange={onChange} />
        </main>
      )}
    </>
  )
}

function KeyForm({ problem, onSubmit }: { problem: string | undefined; onSubmit: (key: string) => void }) {
  function submit(event: SubmitEvent<HTMLFormElement>) {
    event.preventDefault()
    onSubmit(formTexts(event.currentTarget)('key'))
  }
  return (
    <form className="card key" onSubmit={submit}>
      <h2>Enter your API key</h2>
      <p>
        The demo server prints one at its first start, and keeps it in <code>.data/demo-key</code>. This tab
        remembers it until you close it.
      </p>
      <Field label="API key" problem={problem}>
        {(props) => <input {...props} name="key" type="password" required autoComplete="off" autoFocus />}
      </Field>
      <button type="submit">Show the pets</button>
    </form>
  )
}
