/** The scripts of pages and their tests have their own compiler options, those of a browser, so `tsc` alone does not check them. */
import { spawnSync } from 'node:child_process'
import { globSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

const root = join(import.meta.dirname, '..', '..')
const folders = [...globSync('src/*/assets', { cwd: root }), 'test/dom']

it.each(folders)('%s has no errors of types', (folder) => {
  const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc')
  const { stdout } = spawnSync(process.execPath, [tsc, '--project', join(root, folder)], { encoding: 'utf8' })
  expect(stdout).toBe('')
})
