/** Reads values from the text that Postgres writes; the generated readers call these. */

/** A value as Postgres writes it; undefined if the row lacks the column. */
type Text = string | null | undefined

export function readNumber(text: Text): number | null {
  return text == null ? null : Number(text)
}

export function readBoolean(text: Text): boolean | null {
  return text == null ? null : text === 't'
}

/** Reads a value of an enumeration. */
export function readChoice<Choice extends string>(choices: readonly Choice[], text: Text): Choice | null {
  if (text == null) return null
  for (const choice of choices) if (choice === text) return choice
  throw new Error('A row has an unknown value of an enumeration')
}
