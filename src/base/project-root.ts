import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { OperatorError } from './operator-error.ts'

/** The folder that contains package.json, for the sources and the bundle alike. */
const root = findRoot(import.meta.dirname)

/** The path of a file that is not bundled, such as schema/openapi.yaml. */
export function pathInProject(...segments: string[]): string {
  return join(root, ...segments)
}

/** @throws OperatorError if neither the folder nor one around it has a package.json */
function findRoot(start: string): string {
  for (let directory = start; ; directory = dirname(directory)) {
    if (existsSync(join(directory, 'package.json'))) return directory
    if (directory === dirname(directory))
      throw new OperatorError(`The installation is not complete: there is no package.json around ${start}.`)
  }
}
