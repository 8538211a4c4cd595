import { type ASTNode, type DocumentNode, GraphQLError, Kind, type ValueNode, visit } from 'graphql'
import { ServiceError } from '../base/errors.ts'

/** Adds the code INVALID_VALUE and the argument to errors about literals, like those about the same values in variables. */
export function describeInvalidLiterals(
  document: DocumentNode,
  errors: readonly GraphQLError[],
): readonly GraphQLError[] {
  return errors.map((error) => {
    const { message, nodes = [] } = error
    const path = nodes[0] && findLiteral(document, nodes[0])
    if (path === undefined) return error
    const argument = path + (missingFieldIn(message) ?? '')
    const originalError = new ServiceError('INVALID_VALUE', message, { problems: [{ argument, message }] })
    return new GraphQLError(message, { nodes, originalError })
  })
}

/** The argument that a literal belongs to, and the path within it: `filter.status[0]`; undefined for other nodes. */
function findLiteral(document: DocumentNode, node: ASTNode): string | undefined {
  let found: string | undefined
  const search = (name: string, value: ValueNode | undefined) => {
    const path = value && pathTo(node, value)
    if (path !== undefined) found = name + path
  }
  visit(document, {
    Argument: ({ name, value }) => search(name.value, value),
    VariableDefinition: ({ variable, defaultValue }) => search(variable.name.value, defaultValue),
  })
  return found
}

function pathTo(node: ASTNode, value: ValueNode): string | undefined {
  if (value === node) return value.kind === Kind.VARIABLE ? undefined : ''
  if (value.kind === Kind.LIST) {
    for (const [index, item] of value.values.entries()) {
      const path = pathTo(node, item)
      if (path !== undefined) return `[${index}]${path}`
    }
  }
  if (value.kind === Kind.OBJECT) {
    for (const field of value.fields) {
      const path = field === node ? '' : pathTo(node, field.value)
      if (path !== undefined) return `.${field.name.value}${path}`
    }
  }
  return undefined
}

function missingFieldIn(message: string): string | undefined {
  const [, field] = /^Expected value of type "\w+" to include required field "(\w+)"/.exec(message) ?? []
  return field === undefined ? undefined : `.${field}`
}
