/** Reports that a text is invalid, and what it must be instead. */
export type Report = (expected: string) => void

/** Parses a text that is not empty. What it returns after a report is not used. */
export type Parse<Value> = (text: string, report: Report) => Value

/** Environment variables: an empty one counts as absent. */
export class Environment {
  /** A sentence about each invalid variable, without secrets. */
  readonly problems: string[] = []
  readonly #variables: NodeJS.ProcessEnv

  constructor(variables: NodeJS.ProcessEnv) {
    this.#variables = variables
  }

  /** @returns '' if it is absent */
  text(variable: string): string {
    return this.#variables[variable] ?? ''
  }

  has(variable: string): boolean {
    return this.text(variable) !== ''
  }

  /** @returns the default if it is absent, or invalid, which is added to the problems */
  read<Value, Default = Value>(
    variable: string,
    defaultValue: Default,
    parse: Parse<Value>,
  ): Value | Default {
    if (!this.has(variable)) return defaultValue
    const invalid: string[] = []
    const value = parse(this.text(variable), (expected) => invalid.push(expected))
    this.problems.push(...invalid.map((expected) => `${variable} must be ${expected}`))
    return invalid.length === 0 ? value : defaultValue
  }
}
