/** Bounds the labels of metrics: no value that a client invents becomes a series. */
import { Kind, parse } from 'graphql'
import { ServiceError } from '../base/errors.ts'
import { DatabaseError } from '../db/postgres/errors.ts'

/** The methods of RFC 9110, RFC 5789 and the QUERY draft; any other becomes _OTHER (semantic conventions, HTTP). */
const METHODS = new Set('CONNECT DELETE GET HEAD OPTIONS PATCH POST PUT QUERY TRACE'.split(' '))

export function methodOf(method: string): string {
  return METHODS.has(method) ? method : '_OTHER'
}

/** A code from the catalogue, or an SQLSTATE, so that there are few of them. */
export function errorTypeOf(error: unknown): string {
  return error instanceof ServiceError || error instanceof DatabaseError ? error.code : 'INTERNAL'
}

/** The maximum number of names that come from clients' own documents. */
const MAX_NAMES = 100
/** Stands for all other names. */
export const OTHER_NAME = '_OTHER'

/** Which names of GraphQL operations become labels: a client must not be able to create unlimited series. */
export class OperationNames {
  readonly #trusted: ReadonlySet<string>
  readonly #others = new Set<string>()

  /** @param documents the texts of the trusted documents, whose names are all labels */
  constructor(documents: Iterable<string>) {
    this.#trusted = new Set([...documents].flatMap(namesIn))
  }

  /** The label for a name: the name itself if it is a trusted document's, or one of the first hundred others. */
  toLabel(name: string): string {
    if (this.#trusted.has(name) || this.#others.has(name)) return name
    if (this.#others.size >= MAX_NAMES) return OTHER_NAME
    this.#others.add(name)
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
