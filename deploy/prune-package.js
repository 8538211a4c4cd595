/**
 * Reduces package.json to the packages that are not in the bundle, so that `npm prune` removes all others. Only for the Dockerfile:
 * it changes package.json.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { NOT_BUNDLED } from '../build.js'
import manifest from '../package.json' with { type: 'json' }

const { name, version, type } = manifest
const dependencies = Object.fromEntries(
  Object.entries(manifest.dependencies).filter(([dependency]) =>
    NOT_BUNDLED.some((pattern) =>
      pattern.endsWith('*') ? dependency.startsWith(pattern.slice(0, -1)) : dependency === pattern,
    ),
  ),
)
const path = join(import.meta.dirname, '..', 'package.json')
writeFileSync(path, JSON.stringify({ name, version, type, private: true, dependencies }))
