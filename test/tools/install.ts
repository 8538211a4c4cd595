/**
 * Installs what only slow tests, pictures, `npm run check` and the example need, in folders that are packages of their own, from their
 * lock files. Does nothing where that is done: `npm run tools`, or with the names of some of the folders.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..', '..')
const [, , ...named] = process.argv
const folders = named.length > 0 ? named : ['test/tools', 'examples/graphql-clients', 'examples/frontend']

for (const folder of folders) {
  const cwd = join(root, folder)
  const lock = readFileSync(join(cwd, 'package-lock.json'), 'utf8')
  /** What is installed. */
  const stamp = join(cwd, 'node_modules', '.installed-lock.json')
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === lock) continue
  console.error(`Installing the packages of ${folder}`)
  execFileSync('npm', ['ci', '--no-audit', '--no-fund'], { cwd, stdio: 'inherit' })
  writeFileSync(stamp, lock)
}
