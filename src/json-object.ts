/** Whether something that JSON.parse has returned is an object of JSON (RFC 8259, section 4), rather than an array or null. */
export function isJsonObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
