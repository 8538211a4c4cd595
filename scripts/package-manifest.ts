/**
 * What npm runs before `npm pack`: leaves in package.json only the packages that the bundle does not contain, in the versions of the lock
 * file, so that an installation is small. After it (--restore), package.json is put back.
 */
import { copyFileSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join, matchesGlob } from 'node:path'
import { NOT_BUNDLED } from '../build.js'

const root = join(import.meta.dirname, '..')
const path = join(root, 'package.json')
/** Where npm never packs anything. */
const original = join(root, 'node_modules', '.package.json')

const KEPT = ['name', 'version', 'description', 'private', 'license', 'type', 'engines', 'files', 'bin']

if (process.argv.includes('--restore')) renameSync(original, path)
else {
  const manifest = createManifest()
  copyFileSync(path, original)
  writeFileSync(path, JSON.stringify(manifest, null, 2))
}

interface Manifest {
  dependencies: Record<string, string>
  [property: string]: unknown
}

function createManifest(): Manifest {
  const manifest = readJson('package.json') as Manifest
  const { packages } = readJson('package-lock.json') as { packages: Record<string, { version: string }> }
  const kept = Object.entries(manifest).filter(([property]) => KEPT.includes(property))
  const dependencies = Object.keys(manifest.dependencies)
    .filter((name) => NOT_BUNDLED.some((pattern) => matchesGlob(name, pattern)))
    .map((name) => [name, packages[`node_modules/${name}`]?.version])
  return {
    ...Object.fromEntries(kept),
    dependencies: Object.fromEntries(dependencies) as Record<string, string>,
  }
}

function readJson(name: string): unknown {
  return JSON.parse(readFileSync(join(root, name), 'utf8'))
}
