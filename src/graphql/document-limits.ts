import {
  type ExecutionArgs,
  getOperationAST,
  type GraphQLError,
  parse,
  type ParseOptions,
  type Source,
  type ValidationRule,
} from 'graphql'
import type { Plugin } from 'graphql-yoga'
import type { DocumentLimits } from '../config/env.ts'
import { createRequestError } from './errors.ts'
import { measureOperation } from './query-cost.ts'

/** Rejects documents beyond the limits: before parsing where that is possible, and always before execution. */
export function limitDocuments(limits: DocumentLimits): Plugin {
  const parseWithinLimit = (source: string | Source, options?: ParseOptions) => {
    try {
      return parse(source, { ...options, maxTokens: limits.tokens })
    } catch (error) {
      // The parser is recursive, so deeply nested lists overflow the stack within the limit on tokens.
      if (error instanceof RangeError)
        throw createRequestError('INVALID_REQUEST', 'The document is nested too deeply.')
      throw error
    }
  }
  const limitCost = ({ args }: { args: ExecutionArgs }) => {
    const { schema, document, operationName, variableValues } = args
    const operation = getOperationAST(document, operationName)
    if (!operation) return
    const { cost } = measureOperation(schema, document, operation, variableValues ?? {})
    if (cost > limits.cost) throw createLimitError('cost', cost, limits.cost)
  }
  return {
    onParams: ({ params: { query } }) => {
      // Comments are not tokens, but they stay in memory with the document.
      if (query && query.length > limits.length) throw createLimitError('length', query.length, limits.length)
    },
    onParse: ({ setParseFn }) => setParseFn(parseWithinLimit),
    onValidate: ({ addValidationRule }) => addValidationRule(limitShape(limits)),
    onExecute: limitCost,
    onSubscribe: limitCost,
  }
}

/** The limits that do not depend on variables. */
function limitShape(limits: DocumentLimits): ValidationRule {
  return (context) => ({
    OperationDefinition(operation) {
      const measures = measureOperation(context.getSchema(), context.getDocument(), operation, {})
      for (const measure of ['depth', 'aliases', 'directives'] as const) {
        if (measures[measure] <= limits[measure]) continue
        context.reportError(createLimitError(measure, measures[measure], limits[measure]))
        break
      }
    },
  })
}

function createLimitError(measure: string, value: number, limit: number): GraphQLError {
  return createRequestError(
    'INVALID_REQUEST',
    `The document's ${measure} is ${value}; the limit is ${limit}.`,
  )
}
