import {
  type DocumentNode,
  type ExecutionArgs,
  getOperationAST,
  type GraphQLError,
  type GraphQLSchema,
  parse,
  type ParseOptions,
  type Source,
  type ValidationRule,
} from 'graphql'
import type { GraphQLParams, Plugin } from 'graphql-yoga'
import type { DocumentLimits } from '../config/env.ts'
import { createRequestError } from './errors.ts'
import { measureOperation, NOTHING } from './schema/query-cost.ts'
import type { Context } from './schema/context.ts'

/** Rejects documents beyond the limits, before parsing where possible, and reserves memory for the text of the answer. */
export function limitDocuments(limits: DocumentLimits): Plugin<Context> {
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
  const measure = (schema: GraphQLSchema, document: DocumentNode, { outcome, params }: RequestContext) => {
    const operation = getOperationAST(document, params.operationName)
    const measures = operation
      ? measureOperation(schema, document, operation, params.variables ?? {})
      : NOTHING
    outcome.queryCost = measures.cost
    return measures
  }
  const measureWithinLimit = ({ schema, document, contextValue }: Execution) => {
    const measures = measure(schema, document, contextValue)
    if (measures.cost > limits.cost) throw createLimitError('cost', measures.cost, limits.cost)
    return measures
  }
  return {
    onParams: ({ params: { query } }) => {
      // Comments are not tokens, but they stay in memory with the document.
      if (query && query.length > limits.length) throw createLimitError('length', query.length, limits.length)
    },
    onParse: ({ setParseFn }) => setParseFn(parseWithinLimit),
    onValidate({ addValidationRule, params, context }) {
      addValidationRule(limitShape(limits))
      return ({ valid }) => {
        if (valid) return
        // It will not be executed, but its author wants to know.
        measure(params.schema as GraphQLSchema, params.documentAST as DocumentNode, context)
      }
    },
    onExecute({ args }) {
      const { text } = measureWithinLimit(args)
      const error = args.contextValue.session.memory.tryReserve(text)
      if (error) throw createRequestError(error.code)
    },
    onSubscribe: ({ args }) => void measureWithinLimit(args),
  }
}

type RequestContext = Context & { params: GraphQLParams }
type Execution = ExecutionArgs & { contextValue: RequestContext }

/** The limits that do not depend on variables. */
function limitShape(limits: DocumentLimits): ValidationRule {
  return (context) => ({
    OperationDefinition(operation) {
      const measures = measureOperation(context.getSchema(), context.getDocument(), operation, {})
      const names = ['depth', 'aliases', 'directives'] as const
      const exceeded = names.find((name) => measures[name] > limits[name])
      if (exceeded) context.reportError(createLimitError(exceeded, measures[exceeded], limits[exceeded]))
    },
  })
}

function createLimitError(measure: string, value: number, limit: number): GraphQLError {
  const message = `The document's ${measure} is ${value}; the limit is ${limit}.`
  return createRequestError('INVALID_REQUEST', message)
}
