/**
 * The limits of a document, in the order in which they are checked:
 *
 * - `length`: before it is looked for (documents.ts)
 * - `tokens`: by graphql-js's parser (prepared-document.ts)
 * - `depth`, `aliases`, `directives` of each operation, and the length of names: by rules of the validation
 * - `cost` of the operation that is executed, which depends on variables (answer.ts)
 */
import { GraphQLError, type ValidationRule } from 'graphql'
import { ServiceError } from '../../base/service-error.ts'
import type { DocumentLimits } from '../../config/graphql-config.ts'
import type { OperationSizes } from './document-size.ts'

/** The limits that do not depend on variables. @param sizes of all operations of the document that is validated */
export function limitSizes(sizes: OperationSizes, limits: DocumentLimits): ValidationRule {
  const names = ['depth', 'aliases', 'directives'] as const
  return (context) => ({
    OperationDefinition(operation) {
      const size = sizes.get(operation)
      if (!size) throw new Error('The sizes are not those of this document')
      const exceeded = names.find((name) => size[name] > limits[name])
      if (!exceeded) return
      const message = describeExcess(limits, exceeded, size[exceeded])
      context.reportError(new GraphQLError(message, { nodes: operation }))
    },
  })
}

/** The maximum number of characters of a name. The response repeats aliases, for each item of a page. */
const MAX_NAME = 100

export const limitNames: ValidationRule = (context) => ({
  Name(node) {
    const { length } = node.value
    if (length <= MAX_NAME) return
    const message = `A name in the document has ${length} characters; the limit is ${MAX_NAME}.`
    context.reportError(new GraphQLError(message, { nodes: node }))
  },
})

/** @throws ServiceError INVALID_REQUEST */
export function throwIfBeyond(limits: DocumentLimits, name: 'length' | 'cost', value: number): void {
  if (value > limits[name]) throw new ServiceError('INVALID_REQUEST', describeExcess(limits, name, value))
}

function describeExcess(limits: DocumentLimits, name: keyof DocumentLimits, value: number): string {
  return `The document's ${name} is ${value}; the limit is ${limits[name]}.`
}
