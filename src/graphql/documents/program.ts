import type { DocumentNode } from 'graphql'
import type {
  CompileWithArguments,
  DocumentArgument,
  ExecuteWithArguments,
} from '../../workarounds/graphql-jit.ts'
import type { OperationSizes } from '../limits/document-size.ts'
import { mayBeCompiled } from './may-be-compiled.ts'

/** A valid document, and what is found in it. */
interface CompilerInput {
  tree: DocumentNode
  sizes: OperationSizes
  /** All of the document. */
  args: readonly DocumentArgument[]
}

/** What a document is compiled to, once it comes again. */
export class Program {
  readonly #input: CompilerInput
  readonly #compile: CompileWithArguments
  #runs = 0
  #compiled: ExecuteWithArguments | null = null

  constructor(input: CompilerInput, compile: CompileWithArguments) {
    this.#input = input
    this.#compile = compile
  }

  /** Null: graphql-js executes the document, which has not been compiled, or cannot be. */
  get compiled(): ExecuteWithArguments | null {
    return this.#compiled
  }

  /** Counts that graphql-js would execute the document, and compiles it the second time: compiling takes longer than to execute it once. */
  compileAtSecondRun(): void {
    this.#runs += 1
    if (this.#runs !== 2) return
    const { tree, sizes, args } = this.#input
    if (mayBeCompiled(tree, sizes)) this.#compiled = this.#compile(tree, args)
  }
}
