import contract from '../generated/openapi.json' with { type: 'json' }
import { Invalid } from './environment.ts'

/** The names of the contract's deprecated operations. */
const deprecated = Object.values<Record<string, { operationId: string; deprecated?: boolean }>>(
  contract.paths,
)
  .flatMap((methods) => Object.values(methods))
  .flatMap(({ operationId, deprecated }) => (deprecated ? [operationId] : []))

/** Parses REMOVED_OPERATIONS. @returns names of deprecated operations */
export function parseRemovedOperations(text: string): string[] {
  const names = text.split(',').map((name) => name.trim())
  if (names.every((name) => deprecated.includes(name))) return names
  throw new Invalid(
    `a comma-separated list of deprecated operations of the contract: ${deprecated.join(', ')}`,
  )
}
