import type { ServiceError } from '../../base/service-error.ts'

/** An error as GraphQL's clients read it: `code` from the catalogue; for invalid values also `problems` (all of them) and `argument` (the first). */
export function formatError({ code, message, problems }: ServiceError) {
  const shown = problems.map(({ argument, message }) => ({ argument: cut(argument), message: cut(message) }))
  const extensions = { code, ...(shown[0] && { argument: shown[0].argument, problems: shown }) }
  return { message: cut(message), extensions }
}

/** The maximum number of characters of a message, and of the path to an argument: both may repeat what the client sent. */
const MAX_TEXT = 1_000

function cut(text: string): string {
  return text.length <= MAX_TEXT ? text : `${text.slice(0, MAX_TEXT - 1).toWellFormed()}…`
}
