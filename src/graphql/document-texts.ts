/**
 * Takes texts out of documents, and passes them as variables: so a document is compiled once for all the values that a client writes
 * into it, and no text becomes a part of the compiled program.
 */
import {
  type ConstValueNode,
  type DocumentNode,
  type GraphQLSchema,
  Kind,
  parseType,
  TypeInfo,
  type ValueNode,
  valueFromASTUntyped,
  type VariableDefinitionNode,
  visit,
  visitWithTypeInfo,
} from 'graphql'

/** A comment, or a text in one line; one without an end goes to the end of the line. */
const TOKENS = /#[^\n\r]*|"(?:\\.|[^"\\\n\r])*("?)/g
/** The prefix of our variables. A document that has such a variable itself is not compiled. */
const PREFIX = 'text_'

/**
 * Finds the texts in a document, unless some have several lines (`"""`).
 * @returns `key`: the document with `x` for all their characters, so that places in it stay; the texts as they are written
 */
export function findTexts(document: string): { key: string; texts: readonly string[] } {
  const texts: string[] = []
  if (!document.includes('"') || document.includes('"""')) return { key: document, texts }
  const key = document.replaceAll(TOKENS, (token, end: string | undefined) => {
    if (!end) return token
    texts.push(token)
    return `"${'x'.repeat(token.length - 2)}"`
  })
  return { key, texts }
}

interface WithoutTexts {
  /** With variables for the arguments that have texts in them. */
  document: DocumentNode
  /** @returns the values of these variables; null if a text is not written as in JSON */
  toVariables: (texts: readonly string[]) => Readonly<Record<string, unknown>> | null
}

/** @param document valid, with one operation @param count of its texts @returns null if not all of them can be taken out */
export function takeTexts(schema: GraphQLSchema, document: DocumentNode, count: number): WithoutTexts | null {
  const taken: { name: string; value: ConstValueNode; definition: VariableDefinitionNode }[] = []
  const types = new TypeInfo(schema)
  let [left, hasOwn] = [count, false]
  const replaced = visit(
    document,
    visitWithTypeInfo(types, {
      VariableDefinition: ({ variable }) => void (hasOwn ||= variable.name.value.startsWith(PREFIX)),
      Argument: (argument) => {
        const type = types.getInputType()
        const { value } = argument
        const texts = isConstant(value) ? countTexts(value) : 0
        if (!type || !isConstant(value) || texts === 0) return undefined
        left -= texts
        const name = `${PREFIX}${taken.length}`
        const variable = { kind: Kind.VARIABLE, name: { kind: Kind.NAME, value: name } } as const
        const definition = {
          kind: Kind.VARIABLE_DEFINITION,
          variable,
          type: parseType(String(type)),
        } as const
        taken.push({ name, value, definition })
        return { ...argument, value: variable }
      },
    }),
  )
  if (left !== 0 || hasOwn) return null
  const definitions = taken.map(({ definition }) => definition)
  return {
    document: visit(replaced, {
      OperationDefinition: (operation) => ({
        ...operation,
        variableDefinitions: [...(operation.variableDefinitions ?? []), ...definitions],
      }),
    }),
    toVariables(texts) {
      const read = texts.map(readText)
      if (read.includes(null)) return null
      const values = read.values()
      return Object.fromEntries(taken.map(({ name, value }) => [name, toValue(value, values)]))
    },
  }
}

/** Whether the value of an argument is the same as JSON: it has no variables, and only integers that are exact. */
function isConstant(node: ValueNode): node is ConstValueNode {
  if (node.kind === Kind.LIST) return node.values.every(isConstant)
  if (node.kind === Kind.OBJECT) return node.fields.every(({ value }) => isConstant(value))
  return node.kind === Kind.INT ? Number.isSafeInteger(Number(node.value)) : node.kind !== Kind.VARIABLE
}

function countTexts(node: ConstValueNode): number {
  let count = 0
  visit(node, { StringValue: () => void (count += 1) })
  return count
}

/** @returns null if JSON knows no such text, or Unicode: Yoga then reads it, or says what is wrong */
function readText(text: string): string | null {
  try {
    const value = JSON.parse(text) as string
    return value.isWellFormed() ? value : null
  } catch {
    return null
  }
}

/** @param texts one for each text in the value, in order */
function toValue(node: ConstValueNode, texts: Iterator<string | null>): unknown {
  if (node.kind === Kind.STRING) return texts.next().value
  if (node.kind === Kind.LIST) return node.values.map((item) => toValue(item, texts))
  if (node.kind !== Kind.OBJECT) return valueFromASTUntyped(node)
  return Object.fromEntries(node.fields.map(({ name, value }) => [name.value, toValue(value, texts)]))
}
