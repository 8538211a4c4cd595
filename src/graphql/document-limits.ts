import {
  type DocumentNode,
  type ExecutionArgs,
  getOperationAST,
  GraphQLError,
  parse,
  type ParseOptions,
  type Source,
  type ValidationRule,
} from 'graphql'
import type { GraphQLParams, Plugin } from 'graphql-yoga'
import { ServiceError } from '../base/service-error.ts'
import type { DocumentLimits } from '../config/variable-parsers.ts'
import { measureOperation } from './query-cost.ts'
import type { Context } from './resource-types/context.ts'

type Execution = ExecutionArgs & { contextValue: Context & { params: GraphQLParams } }

/** Rejects documents beyond the limits, before parsing where possible, and holds the cost of those that are executed. */
export function limitDocuments(limits: DocumentLimits): Plugin<Context> {
  return {
    onParams: ({ params: { query } }) => {
      // Comments are not tokens, but they stay in memory with the document.
      if (query) throwIfBeyond(limits, 'length', query.length)
    },
    onParse: ({ setParseFn }) =>
      setParseFn((source: string | Source, options?: ParseOptions) =>
        parseOrReject(source, { ...options, maxLexicalTokens: limits.tokens }),
      ),
    onValidate({ addValidationRule }) {
      addValidationRule(limitShape(limits))
      addValidationRule(limitNames)
    },
    onExecute({ args }: { args: Execution }) {
      const { openCost, apiKey, response } = args.contextValue
      openCost.hold(apiKey.name, measureCost(args, limits), response)
    },
    // The number of subscriptions has a limit of its own.
    onSubscribe({ args }: { args: Execution }) {
      measureCost(args, limits)
      throwIfTooLong(args)
    },
  }
}

function parseOrReject(source: string | Source, options: ParseOptions): DocumentNode {
  try {
    return parse(source, options)
  } catch (error) {
    // Deeply nested lists overflow the stack of the parser, although they have few tokens.
    if (error instanceof RangeError) throw new GraphQLError('The document is nested too deeply.')
    throw error
  }
}

/** @throws ServiceError INVALID_REQUEST if it is beyond the limit */
function measureCost({ schema, document, contextValue }: Execution, limits: DocumentLimits): number {
  const { params, outcome } = contextValue
  const operation = getOperationAST(document, params.operationName)
  outcome.queryCost = operation
    ? measureOperation({ schema, document, operation, variables: params.variables ?? {} }).cost
    : 0
  throwIfBeyond(limits, 'cost', outcome.queryCost)
  return outcome.queryCost
}

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
      const schema = context.getSchema()
      const measures = measureOperation({ schema, document: context.getDocument(), operation, variables: {} })
      const names = ['depth', 'aliases', 'directives'] as const
      const exceeded = names.find((name) => measures[name] > limits[name])
      if (exceeded)
        context.reportError(new GraphQLError(describeExcess(limits, exceeded, measures[exceeded])))
    },
  })
}

/** The maximum number of characters of a name. The response repeats aliases, for each item of a page. */
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
