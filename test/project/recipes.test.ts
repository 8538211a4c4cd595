/** The recipes in docs/recipes fit the sources as they are. test/tools/recipes.test.ts follows them. */
import { execFileSync } from 'node:child_process'
import { globSync } from 'node:fs'
import { expect, it } from 'vitest'
import { ROOT } from '../support/process.ts'

const patches = globSync('docs/recipes/*.patch', { cwd: ROOT })

it('recipes are found', () => {
  expect(patches).not.toEqual([])
})

it.each(patches)('%s can be applied', (patch) => {
  execFileSync('git', ['apply', '--check', patch], { cwd: ROOT, stdio: 'pipe' })
})
