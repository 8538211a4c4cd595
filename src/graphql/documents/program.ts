import type { DocumentNode, ExecutionResult, VariableValues } from 'graphql'
import type { CompileWithArguments, ExecuteWithArguments } from '../../workarounds/graphql-jit.ts'
import type { OperationSizes } from '../limits/document-size.ts'
import type { Context } from '../request/context.ts'
import type { ArgumentLiterals } from './document-arguments.ts'
import { mayBeCompiled } from './may-be-compiled.ts'

/** What graphql-jit makes of a document, once it comes again. */
export class Program {
  readonly #tree: DocumentNode
  readonly #sizes: OperationSizes
  readonly #compile: CompileWithArguments
  #requests = 0
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

  /** To be called for each request that finds it not compiled. The second call compiles it, if it may be: to execute it once takes less time. */
  compileAtSecondRequest(): void {
    this.#requests += 1
    if (this.#requests !== 2) return
    if (mayBeCompiled(this.#tree, this.#sizes)) this.#compiled = this.#compile(this.#tree)
  }

  /** @returns null: it is not compiled, or graphql-js has to say what is wrong with these values */
  run(
    literals: ArgumentLiterals,
    variables: VariableValues,
    context: Context,
  ): Promise<ExecutionResult> | null {
    const compiled = this.#compiled
    const values = compiled && literals.coerce(variables)
    return values && compiled(context, values)
  }
}
