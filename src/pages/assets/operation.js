/**
 * The text of a GraphQL operation. The types of its data and its variables are only for the type checker.
 * @template Data
 * @template Variables
 * @typedef {string & { data?: Data, variables?: Variables }} Operation
 */

/**
 * Gives a text the types that its constant is declared with. They are generated from it (codegen.ts), and begin with its name.
 * @template Data
 * @template Variables
 * @param {string} text
 */
export const operation = (text) => /** @type {Operation<Data, Variables>} */ (text)
