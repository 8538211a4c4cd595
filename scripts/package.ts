/**
 * Makes the package, in the current directory: the files that package.json names, and of its dependencies only those that the bundle does
 * not contain, in the versions of the lock file, so that an installation is small. It is packed from a copy.
 */
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, matchesGlob } from 'node:path'
import { NOT_BUNDLED } from '../build.js'

const root = join(import.meta.dirname, '..')

const KEPT = ['name', 'version', 'description', 'private', 'license', 'type', 'engines', 'files', 'bin']

interface Manifest {
  dependencies: Record<string, string>
  files: string[]
  [property: string]: unknown
}

const manifest = readJson('package.json') as Manifest
execFileSync(process.execPath, ['build.js'], { cwd: root, stdio: 'inherit' })
const copy = mkdtempSync(join(tmpdir(), 'pet-store-'))
try {
  // The image is built without most of them.
  for (const path of ['README.md', ...manifest.files].filter((path) => existsSync(join(root, path))))
    cpSync(join(root, path), join(copy, path), {
      recursive: true,
      filter: (file) => !file.endsWith('node_modules'),
    })
  writeFileSync(join(copy, 'package.json'), JSON.stringify(toPackageManifest(), null, 2))
  execFileSync('npm', ['pack', copy], { stdio: 'inherit' })
} finally {
  rmSync(copy, { recursive: true })
}

function toPackageManifest(): Manifest {
  const { packages } = readJson('package-lock.json') as { packages: Record<string, { version: string }> }
  const kept = Object.entries(manifest).filter(([property]) => KEPT.includes(property))
  const dependencies = Object.keys(manifest.dependencies)
    .filter((name) => NOT_BUNDLED.some((pattern) => matchesGlob(name, pattern)))
    .map((name) => [name, packages[`node_modules/${name}`]?.version])
  return {
    ...Object.fromEntries(kept),
    files: manifest.files,
    dependencies: Object.fromEntries(dependencies) as Record<string, string>,
  }
}

function readJson(name: string): unknown {
  return JSON.parse(readFileSync(join(root, name), 'utf8'))
}
