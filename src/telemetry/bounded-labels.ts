/** Labels for what clients send: none of them must be able to create series without limit. */
import { Kind, parse } from 'graphql'

/** The label of everything for which there is no other. */
const OTHER = '_OTHER'

/** The methods of RFC 9110, RFC 5789 and the QUERY draft; any other is _OTHER (semantic conventions, HTTP). */
const METHODS = new Set('CONNECT DELETE GET HEAD OPTIONS PATCH POST PUT QUERY TRACE'.split(' '))

export function toMethodLabel(method: string): string {
  return METHODS.has(method) ? method : OTHER
}

/** A proxy may pass on anything that a client has sent. */
export function toSchemeLabel(scheme: string): 'http' | 'https' {
  return scheme === 'https' ? 'https' : 'http'
}

/** The maximum number of names that come from clients' own documents. */
const MAX_NAMES = 100

/**
 * Which names of GraphQL operations become labels.
 * @param documents the texts of the trusted documents, whose names are all labels
 * @returns the label for a name: the name itself if it is a trusted document's, or one of the first hundred others
 */
export function createOperationLabels(documents: Iterable<string>): (name: string) => string {
  const trusted = new Set([...documents].flatMap(namesIn))
  const others = new Set<string>()
  return (name) => {
    if (trusted.has(name) || others.has(name)) return name
    if (others.size >= MAX_NAMES) return OTHER
    others.add(name)
    return name
  }
}

function namesIn(document: string): string[] {
  try {
    return parse(document, { noLocation: true }).definitions.flatMap((node) =>
      node.kind === Kind.OPERATION_DEFINITION && node.name ? [node.name.value] : [],
    )
  } catch {
    // Clients get an error for it.
    return []
  }
}
