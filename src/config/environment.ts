/** Says in its message what a text must be instead; it never contains a secret. */
export class Invalid extends Error {}

/** Parses a text that is not empty. @throws Invalid */
export type Parse<Value> = (text: string) => Value

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
    try {
      return parse(this.text(variable))
    } catch (error) {
      if (!(error instanceof Invalid)) throw error
      this.problems.push(`${variable} must be ${error.message}`)
      return defaultValue
    }
  }
}
