/** How much a document may ask for, so that nobody's document is everybody's outage. */
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
import type { DocumentLimits } from '../config-values.ts'
import { weighOperation } from './document-weight.ts'
import { refuseRequest } from './engine.ts'

/** Refuses what is beyond the limits: before it is parsed where that can be told, and in any case before it is executed. */
export function limitDocuments(limits: DocumentLimits): Plugin {
  const parseWithin = (source: string | Source, options?: ParseOptions) =>
    parse(source, { ...options, maxTokens: limits.tokens })
  const limitCost = ({ args }: { args: ExecutionArgs }) => {
    const { document, operationName, variableValues } = args
    const operation = getOperationAST(document, operationName)
    if (!operation) return
    const { cost } = weighOperation(document, operation, variableValues ?? {})
    if (cost > limits.cost) throw describeExcess('cost', cost, limits.cost)
  }
  return {
    onParams: ({ params: { query } }) => {
      // Comments are not tokens, and are kept with the document all the same.
      if (query && query.length > limits.length) throw describeExcess('length', query.length, limits.length)
    },
    onParse: ({ setParseFn }) => setParseFn(parseWithin),
    onValidate: ({ addValidationRule }) => addValidationRule(limitShape(limits)),
    onExecute: limitCost,
    onSubscribe: limitCost,
  }
}

/** The limits that have nothing to do with what the variables are. */
function limitShape(limits: DocumentLimits): ValidationRule {
  return (context) => ({
    OperationDefinition(operation) {
      const weight = weighOperation(context.getDocument(), operation, {})
      for (const measure of ['depth', 'aliases', 'directives'] as const) {
        if (weight[measure] <= limits[measure]) continue
        context.reportError(describeExcess(measure, weight[measure], limits[measure]))
        break
      }
    },
  })
}

function describeExcess(measure: string, value: number, limit: number): GraphQLError {
  return refuseRequest('INVALID_REQUEST', `The document's ${measure} is ${value}; ${limit} is the limit.`)
}
