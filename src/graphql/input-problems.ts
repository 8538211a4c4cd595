/** What is wrong with the values that a client sends, found by the same walk in variables and in the text of a document. */
import {
  type ExecutionArgs,
  getNullableType,
  getOperationAST,
  GraphQLError,
  type GraphQLErrorOptions,
  type GraphQLInputType,
  isInputObjectType,
  isInputType,
  isListType,
  isRequiredInputField,
  Kind,
  typeFromAST,
  validateInputLiteral,
  validateInputValue,
  type ValidationRule,
  type ValueNode,
} from 'graphql'
import { isJsonObject } from '../base/json.ts'
import { ServiceError } from '../base/service-error.ts'

interface InputProblem<Value> {
  /** Within the argument or the variable: `.status[1]`. */
  path: string
  /** What is at this path, or, if that is missing, around it. */
  value: Value
  message: string
}

/** How values are written: in JSON, or in a document. */
interface Form<Value> {
  /** @returns the items of a list, the fields of an object, or null */
  open(value: Value): readonly Value[] | Map<string, Value> | null
  validate(value: Value, type: GraphQLInputType, onError: Parameters<typeof validateInputValue>[2]): void
}

const json = (hideSuggestions: boolean): Form<unknown> => ({
  open(value) {
    if (isJsonObject(value)) return new Map(Object.entries(value))
    return Array.isArray(value) ? (value as unknown[]) : null
  },
  validate: (value, type, onError) => validateInputValue(value, type, onError, hideSuggestions),
})

const literals = (hideSuggestions: boolean): Form<ValueNode> => ({
  open(node) {
    if (node.kind === Kind.OBJECT) return new Map(node.fields.map(({ name, value }) => [name.value, value]))
    return node.kind === Kind.LIST ? node.values : null
  },
  validate: (node, type, onError) =>
    validateInputLiteral(node, type, onError, undefined, undefined, hideSuggestions),
})

/** Walks lists and objects, because graphql-js names only the parent of a missing or unknown field, and leaves the rest to it. */
function* findProblems<Value>(
  form: Form<Value>,
  value: Value,
  type: GraphQLInputType,
  path = '',
): Generator<InputProblem<Value>> {
  const nullable = getNullableType(type)
  const inner = form.open(value)
  if (isListType(nullable) && inner) {
    // A list of one item may be sent without brackets.
    if (inner instanceof Map) yield* findProblems(form, value, nullable.ofType, path)
    else
      for (const [index, item] of inner.entries())
        yield* findProblems(form, item, nullable.ofType, `${path}[${index}]`)
  } else if (isInputObjectType(nullable) && !nullable.isOneOf && inner instanceof Map) {
    const declared = nullable.getFields()
    for (const field of Object.values(declared)) {
      const [sent, fieldPath] = [inner.get(field.name), `${path}.${field.name}`]
      if (sent !== undefined) yield* findProblems(form, sent, field.type, fieldPath)
      else if (isRequiredInputField(field))
        yield { path: fieldPath, value, message: `${nullable.name}.${field.name} is required.` }
    }
    for (const [name, sent] of inner) {
      if (Object.hasOwn(declared, name)) continue
      yield { path: `${path}.${name}`, value: sent, message: `${nullable.name} has no field "${name}".` }
    }
  } else {
    const found: InputProblem<Value>[] = []
    form.validate(value, type, ({ message }, keys) => {
      const end = keys.map((key) => (typeof key === 'number' ? `[${key}]` : `.${key}`)).join('')
      found.push({ path: path + end, value, message })
    })
    yield* found
  }
}

function toError(argument: string, message: string, options: GraphQLErrorOptions): GraphQLError {
  const originalError = new ServiceError('INVALID_VALUE', message, { problems: [{ argument, message }] })
  return new GraphQLError(message, { ...options, originalError })
}

/** Checks the literals in a document, instead of graphql-js's ValuesOfCorrectTypeRule. */
export const checkLiterals: ValidationRule = (context) => {
  const form = literals(context.hideSuggestions)
  const check = (argument: string, literal: ValueNode | undefined) => {
    const type = context.getInputType()
    if (!type || !literal) return
    for (const { path, value, message } of findProblems(form, literal, type))
      context.reportError(toError(argument + path, message, { nodes: value }))
  }
  return {
    Argument: ({ name, value }) => check(name.value, value),
    VariableDefinition: ({ variable, defaultValue }) => check(variable.name.value, defaultValue),
  }
}

/** Finds what is wrong with the variables of an operation, before graphql-js takes them. */
export function* findInvalidVariables(
  { schema, document, operationName, variableValues }: ExecutionArgs,
  hideSuggestions: boolean,
): Generator<GraphQLError> {
  for (const definition of getOperationAST(document, operationName)?.variableDefinitions ?? []) {
    const name = definition.variable.name.value
    const type = typeFromAST(schema, definition.type)
    const sent = Object.hasOwn(variableValues ?? {}, name) ? variableValues?.[name] : undefined
    if (!isInputType(type) || (sent === undefined && definition.defaultValue)) continue
    for (const { path, message } of findProblems(json(hideSuggestions), sent, type)) {
      const text = `Variable "$${name}" has invalid value${path && ` at ${path}`}: ${message}`
      // As Yoga marks what is wrong with a document: 400 only in GraphQL's own media type.
      const extensions = { http: { status: 400, spec: true } }
      yield toError(name + path, text, { nodes: definition, extensions })
    }
  }
}
