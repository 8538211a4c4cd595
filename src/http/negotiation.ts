import Negotiator from 'negotiator'

/** Characters of an Accept header that is read: the library takes quadratic time for a longer one. */
const MAX_LENGTH = 1_000

/**
 * Which media types a client accepts, best first (RFC 9110, 12.5.1). A header that is absent, empty or too long accepts all.
 * @param types those that are available, best first; without parameters
 */
export function acceptedTypes(accept: string | undefined, types: readonly string[]): string[] {
  if (!accept || accept === '*/*' || accept.length > MAX_LENGTH) return [...types]
  // Parameters of a media range, such as charset, do not matter; q does.
  const ranges = accept.replaceAll(/;\s*(?!q\s*=)[\w-]+\s*=\s*("[^"]*"|[^;,]*)/gi, '')
  return new Negotiator({ headers: { accept: ranges } }).mediaTypes([...types])
}
