import { type ASTNode, type DocumentNode, Kind, type OperationDefinitionNode, visit } from 'graphql'
import { LARGEST, weighOperation } from './document-weight.ts'

/**
 * Which documents graphql-jit 0.8 answers as graphql-js does; what is not among them runs on graphql-js.
 *
 * - One query. A mutation cannot be run again when its errors have to be graphql-js's.
 * - No directive: @skip and @include make branches of what is compiled.
 * - No variable inside an input object or a list: one that is not given would become null.
 * - No introspection: it is not what an application asks for again and again.
 * - What its fragments come to is within the limit on cost, whatever its variables are: the compiler puts every one of them in,
 *   so that fragments that double would keep it busy for ever.
 * @param document has passed validation
 * @returns the operation; null when it is none of these
 */
export function findCompilable(document: DocumentNode, maxCost: number): OperationDefinitionNode | null {
  const operations = document.definitions.filter((node) => node.kind === Kind.OPERATION_DEFINITION)
  const [operation] = operations
  if (!operation || operations.length > 1 || operation.operation !== 'query') return null

  const unlike: ASTNode[] = []
  const refuse = (node: ASTNode) => void unlike.push(node)
  const refuseVariables = (node: ASTNode) => {
    visit(node, { Variable: refuse })
    return false
  }
  visit(document, {
    Directive: refuse,
    ObjectValue: refuseVariables,
    ListValue: refuseVariables,
    Field: (field) => {
      if (['__schema', '__type'].includes(field.name.value)) refuse(field)
    },
  })
  if (unlike.length > 0) return null

  const largest: Record<string, unknown> = {}
  for (const { variable } of operation.variableDefinitions ?? []) largest[variable.name.value] = LARGEST
  const { cost } = weighOperation(document, operation, largest)
  return cost <= maxCost ? operation : null
}
