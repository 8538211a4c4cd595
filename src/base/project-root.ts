import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** The folder that contains package.json, for the sources and the bundle alike. */
const root = findRoot(import.meta.dirname)

/** The path of a file that is not bundled, such as schema/openapi.yaml. */
export function pathInProject(...segments: string[]): string {
  return join(root, ...segments)
}

function findRoot(directory: string): string {
  return existsSync(join(directory, 'package.json')) ? directory : findRoot(dirname(directory))
}
