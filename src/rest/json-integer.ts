/** Writes an int64, which is a string of digits inside the server, with all its digits in JSON; request-validation.ts reads it. */

/** A text that JSON.stringify writes unchanged (ECMAScript, "JSON.parse source text access"). */
interface RawJson {
  readonly rawJSON: string
}
// TypeScript does not know it yet.
const { rawJSON } = JSON as typeof JSON & { rawJSON: (text: string) => RawJson }

/** A body as JSON.stringify gets it. @param Value its type in the contract, where an int64 may be a bigint */
export type JsonOutput<Value> = Value extends bigint
  ? ReturnType<typeof toJsonInteger>
  : Value extends object
    ? { [Name in keyof Value]: JsonOutput<Value[Name]> }
    : Value

/** Converts digits to a value that JSON.stringify writes as the same integer: a number if it has at most 15 characters, which is always exact. */
export function toJsonInteger(digits: string): number | RawJson {
  return digits.length <= 15 ? Number(digits) : rawJSON(digits)
}
