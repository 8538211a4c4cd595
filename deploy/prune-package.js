/**
 * Reduces package.json to the packages that are not in the bundle, so that `npm prune` removes all others. Only for the Dockerfile:
 * it changes package.json.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { NOT_BUNDLED } from '../build.js'

const path = join(import.meta.dirname, '..', 'package.json')
/** @type {{ name: string, version: string, type: string, dependencies: Record<string, string> }} */
const { name, version, type, dependencies } = JSON.parse(readFileSync(path, 'utf8'))
const kept = Object.entries(dependencies).filter(([dependency]) =>
  NOT_BUNDLED.some((pattern) =>
    pattern.endsWith('*') ? dependency.startsWith(pattern.slice(0, -1)) : dependency === pattern,
  ),
)
writeFileSync(
  path,
  JSON.stringify({ name, version, type, private: true, dependencies: Object.fromEntries(kept) }),
)
