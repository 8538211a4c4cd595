import { GraphQLError, Source } from 'graphql'
import type { SentVariables } from '../limits/sent-arguments.ts'
import type { ArgumentLiterals } from './document-arguments.ts'
import type { DocumentSource } from './document-source.ts'
import type { PreparedDocument, PreparedOperation } from './prepared-document.ts'

/** A document as a request sends it: a prepared one, with the values of its arguments in this request. */
export class RequestDocument {
  readonly prepared: PreparedDocument
  /** The values of its arguments. */
  readonly literals: ArgumentLiterals
  readonly #source: DocumentSource

  /** @param source that of the prepared document, or of another one of its shape @param literals those in it */
  constructor(prepared: PreparedDocument, source: DocumentSource, literals: ArgumentLiterals) {
    this.prepared = prepared
    this.literals = literals
    this.#source = source
  }

  get text(): string {
    return this.#source.text
  }

  get tokenCount(): number {
    return this.prepared.tree.tokenCount ?? 0
  }

  /** @throws GraphQLError if there is none of this name, or if one of several has to be named */
  selectOperation(operationName: string | undefined): PreparedOperation {
    const { operations } = this.prepared
    const named = operations.filter(
      ({ node }) => operationName === undefined || node.name?.value === operationName,
    )
    const [operation] = named
    if (!operation) throw new GraphQLError(`There is no operation named "${operationName}".`)
    if (named.length > 1) throw new GraphQLError('Send operationName: the document has several operations.')
    return operation
  }

  /** @param operation of the document @param variables as sent by the client */
  costOf(operation: PreparedOperation, variables: SentVariables = {}): number {
    return operation.cost(variables, (node) => this.literals.of(node))
  }

  /** @returns where an error of the prepared document is in the text of this one */
  placeOf({ positions }: GraphQLError): Pick<GraphQLError, 'source' | 'positions'> {
    const { source: prepared } = this.prepared
    return {
      source: new Source(this.text),
      positions: positions?.map((position) => this.#source.movePosition(position, prepared)),
    }
  }
}
