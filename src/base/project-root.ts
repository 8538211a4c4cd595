import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { OperatorError } from './operator-error.ts'

/** The folder that contains package.json, for the sources and the bundle alike; null: there is none. */
export const PROJECT_ROOT = findRoot(import.meta.dirname)

/** The path of a file that is not bundled, such as schema/openapi.yaml. @throws OperatorError if there is no root */
export function pathInProject(...segments: string[]): string {
  if (PROJECT_ROOT !== null) return join(PROJECT_ROOT, ...segments)
  const message = `The installation is not complete: there is no package.json around ${import.meta.dirname}.`
  throw new OperatorError(message)
}

function findRoot(start: string): string | null {
  for (let directory = start; ; directory = dirname(directory)) {
    if (existsSync(join(directory, 'package.json'))) return directory
    if (directory === dirname(directory)) return null
  }
}
