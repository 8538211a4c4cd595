/**
 * How queries and mutations are executed: as graphql-jit has compiled their document, at once, or by graphql-js, in a turn. A document is
 * compiled before graphql-js would execute it for the second time. may-be-compiled.ts says which documents are, and which never.
 */
import {
  type DocumentNode,
  execute,
  type ExecutionArgs,
  type ExecutionResult,
  type VariableValues,
} from 'graphql'
import type { Turns } from '../../base/turns.ts'
import type { CompileWithArguments, ExecuteWithArguments } from '../../workarounds/graphql-jit.ts'
import type { OperationSizes } from '../limits/document-size.ts'
import type { Context } from '../request/context.ts'
import type { Params } from '../request/params.ts'
import { runInTurn } from '../request/run-in-turn.ts'
import type { ArgumentValues } from './document-arguments.ts'
import type { DocumentOptions } from './document-options.ts'
import { mayBeCompiled } from './may-be-compiled.ts'

/** What is executed of a RequestDocument, which this file must not import, since it has a Program. */
interface Executable {
  readonly prepared: { readonly tree: DocumentNode; readonly program: Program }
  readonly arguments: ArgumentValues
}

export interface Execution<Document extends Executable = Executable> {
  params: Params
  document: Document
  /** Of the variables. */
  values: VariableValues
}

/** Compiling takes long, and so does graphql-js: both wait for a turn. */
export function executeOperation(
  execution: Execution,
  context: Context,
  service: DocumentOptions & { turns: Turns },
): Promise<ExecutionResult> | ExecutionResult {
  const { document, values } = execution
  const { program } = document.prepared
  const runCompiled = () => program.run(document.arguments, values, context)
  const compileOrExecute = () => {
    program.compileAtSecondRun()
    return runCompiled() ?? execute(toExecutionArgs(execution, context, service))
  }
  return runCompiled() ?? runInTurn(compileOrExecute, context, service)
}

/** The same for graphql-js, which takes the variables only as they were sent, and reads them again. */
export function toExecutionArgs(
  { params, document }: Execution,
  contextValue: Context,
  { schema, hidesNames }: DocumentOptions,
): ExecutionArgs {
  const { variables: variableValues, operationName } = params
  // Its positions are those in the text that was prepared.
  const tree = document.arguments.putInto(document.prepared.tree)
  const args = { schema, contextValue, document: tree, variableValues, operationName }
  return { ...args, hideSuggestions: hidesNames }
}

/** What graphql-jit makes of a document, once it comes again. */
export class Program {
  readonly #tree: DocumentNode
  readonly #sizes: OperationSizes
  readonly #compile: CompileWithArguments
  #runs = 0
  #compiled: ExecuteWithArguments | null = null

  /** @param tree a valid document @param sizes of its operations */
  constructor(tree: DocumentNode, sizes: OperationSizes, compile: CompileWithArguments) {
    this.#tree = tree
    this.#sizes = sizes
    this.#compile = compile
  }

  get isCompiled(): boolean {
    return this.#compiled !== null
  }

  /** @returns null: graphql-js has to execute the document, which is not compiled, or not for these values */
  run(args: ArgumentValues, variables: VariableValues, context: Context): Promise<ExecutionResult> | null {
    const compiled = this.#compiled
    const values = compiled && args.coerce(variables)
    return values && compiled(context, values)
  }

  /** Counts that graphql-js would execute the document, and compiles it the second time: compiling takes longer than to execute it once. */
  compileAtSecondRun(): void {
    this.#runs += 1
    if (this.#runs !== 2) return
    if (mayBeCompiled(this.#tree, this.#sizes)) this.#compiled = this.#compile(this.#tree)
  }
}
