/** Returns a value that is always there, such as that of a column that is NOT NULL. @param what names it in the error */
export function requireNotNull<Value>(value: Value | null | undefined, what: string): Value {
  if (value == null) throw new Error(`${what} is missing`)
  return value
}
