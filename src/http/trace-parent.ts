/** W3C Trace Context, 3.2: version, trace id, parent id, flags; a later version may have more. */
const TRACEPARENT = /^(?!ff)[\da-f]{2}-(?!0{32})([\da-f]{32})-(?!0{16})[\da-f]{16}-[\da-f]{2}(-.*)?$/

/** The trace id in a client's traceparent header; undefined if the header is absent or invalid. */
export function readTraceId(traceparent: string | string[] | undefined): string | undefined {
  if (typeof traceparent !== 'string') return undefined
  const [, traceId, rest] = TRACEPARENT.exec(traceparent) ?? []
  return rest !== undefined && traceparent.startsWith('00') ? undefined : traceId
}
