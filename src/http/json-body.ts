/** What a JSON body must be before anything reads it. Its length is limited in request-body.ts. */
import { MAX_VALUES, parseExactJsonText } from '../base/json.ts'
import { ServiceError } from '../base/service-error.ts'

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** Decodes UTF-8 strictly (RFC 8259, section 8.1). @throws ServiceError INVALID_REQUEST */
export function decodeUtf8(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes)
  } catch {
    throw new ServiceError('INVALID_REQUEST', 'The body must be UTF-8.')
  }
}

/** Matches a string, or where a further value begins: a comma, or the bracket before the first value. */
const TOKENS = /"(?:[^"\\]|\\[^])*"?|,|[[{](?!\s*[\]}])/g

/**
 * Parses a JSON body without losing digits, as parseExactJsonText does.
 * @throws ServiceError INVALID_REQUEST if it is not JSON in UTF-8, or has too many values
 */
export function parseExactJson(bytes: Uint8Array): unknown {
  const text = decodeUtf8(bytes)
  let count = 1
  for (const [token] of text.matchAll(TOKENS))
    if (!token.startsWith('"') && (count += 1) > MAX_VALUES)
      throw new ServiceError(
        'INVALID_REQUEST',
        `The body must have at most ${MAX_VALUES} values, including those in lists and objects.`,
      )
  try {
    return parseExactJsonText(text)
  } catch {
    const problem = text === '' ? ', but is empty' : ' (RFC 8259)'
    throw new ServiceError('INVALID_REQUEST', `The body must be JSON${problem}.`)
  }
}
