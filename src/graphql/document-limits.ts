import {
  type DocumentNode,
  type ExecutionArgs,
  getOperationAST,
  GraphQLError,
  type GraphQLSchema,
  parse,
  type ParseOptions,
  type Source,
  type ValidationRule,
} from 'graphql'
import type { GraphQLParams, Plugin } from 'graphql-yoga'
import { ServiceError } from '../base/service-error.ts'
import type { DocumentLimits } from '../config/env.ts'
import { measureOperation, NOTHING } from './query-cost.ts'
import type { Context } from './schema/context.ts'

/** Rejects documents beyond the limits, before parsing where possible, and holds the cost of those that are executed. */
export function limitDocuments(limits: DocumentLimits): Plugin<Context> {
  const parseWithinLimit = (source: string | Source, options?: ParseOptions) => {
    try {
      return parse(source, { ...options, maxTokens: limits.tokens })
    } catch (error) {
      // The parser is recursive, so deeply nested lists overflow the stack within the limit on tokens.
      if (error instanceof RangeError) throw new GraphQLError('The document is nested too deeply.')
      throw error
    }
  }
  const measure = (schema: GraphQLSchema, document: DocumentNode, { outcome, params }: RequestContext) => {
    const operation = getOperationAST(document, params.operationName)
    const { cost } = operation
      ? measureOperation(schema, document, operation, params.variables ?? {})
      : NOTHING
    outcome.queryCost = cost
    return cost
  }
  const measureWithinLimit = ({ schema, document, contextValue }: Execution) => {
    const cost = measure(schema, document, contextValue)
    throwIfBeyond(limits, 'cost', cost)
    return cost
  }
  return {
    onParams: ({ params: { query } }) => {
      // Comments are not tokens, but they stay in memory with the document.
      if (query) throwIfBeyond(limits, 'length', query.length)
    },
    onParse: ({ setParseFn }) => setParseFn(parseWithinLimit),
    onValidate({ addValidationRule, params, context }) {
      addValidationRule(limitShape(limits))
      addValidationRule(limitNames)
      return ({ valid }) => {
        if (valid) return
        // It will not be executed, but its author wants to know.
        measure(params.schema as GraphQLSchema, params.documentAST as DocumentNode, context)
      }
    },
    onExecute({ args }) {
      const { openCost, apiKey, response } = args.contextValue as RequestContext
      openCost.hold(apiKey.name, measureWithinLimit(args), response)
    },
    // The number of subscriptions has a limit of its own.
    onSubscribe({ args }) {
      measureWithinLimit(args)
      throwIfTooLong(args)
    },
  }
}

type RequestContext = Context & { params: GraphQLParams }
type Execution = ExecutionArgs & { contextValue: RequestContext }

/** The maximum number of characters and tokens of a subscription, which stays in memory for as long as it is open. */
const MAX_CHARACTERS = 8_192
const MAX_TOKENS = 500

function throwIfTooLong({ document, contextValue: { params } }: Execution): void {
  if (JSON.stringify(params).length > MAX_CHARACTERS || (document.tokenCount ?? 0) > MAX_TOKENS)
    throw new ServiceError(
      'INVALID_REQUEST',
      `A subscription has at most ${MAX_CHARACTERS} characters, and ${MAX_TOKENS} tokens in its document.`,
    )
}

/** The limits that do not depend on variables. */
function limitShape(limits: DocumentLimits): ValidationRule {
  return (context) => ({
    OperationDefinition(operation) {
      const measures = measureOperation(context.getSchema(), context.getDocument(), operation, {})
      const names = ['depth', 'aliases', 'directives'] as const
      const exceeded = names.find((name) => measures[name] > limits[name])
      if (exceeded)
        context.reportError(new GraphQLError(describeExcess(limits, exceeded, measures[exceeded])))
    },
  })
}

/** The maximum number of characters of a name. The answer repeats aliases, for each item of a page. */
const MAX_NAME = 100

const limitNames: ValidationRule = (context) => ({
  Name(node) {
    const { length } = node.value
    if (length <= MAX_NAME) return
    const message = `A name in the document has ${length} characters; the limit is ${MAX_NAME}.`
    context.reportError(new GraphQLError(message, { nodes: node }))
  },
})

function throwIfBeyond(limits: DocumentLimits, name: keyof DocumentLimits, value: number): void {
  if (value > limits[name]) throw new ServiceError('INVALID_REQUEST', describeExcess(limits, name, value))
}

function describeExcess(limits: DocumentLimits, name: keyof DocumentLimits, value: number): string {
  return `The document's ${name} is ${value}; the limit is ${limits[name]}.`
}
