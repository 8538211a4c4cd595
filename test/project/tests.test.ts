import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import config from '../../vitest.config.ts'
import { ROOT } from '../support/process.ts'

const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
  scripts: Record<string, string>
}

it('npm test and npm run test:slow together run every project', () => {
  const named = ['test', 'test:slow'].flatMap((script) =>
    Array.from((scripts[script] ?? '').matchAll(/--project ([\w-]+)/g), ([, name]) => name),
  )
  const names = config.test?.projects?.map((project) =>
    typeof project === 'object' && 'test' in project ? project.test.name : project,
  )
  // These two are there only with what they need.
  expect(new Set(named)).toEqual(new Set([...(names ?? []), 'pooler', 'citus']))
})

it('npm run check checks the scripts of all pages', () => {
  const checked = Array.from(
    (scripts.check ?? '').matchAll(/tsc --project (src\/\S+)/g),
    ([, folder]) => folder,
  )
  expect(checked).toContain('src/pages/assets')
  expect(checked.toSorted()).toEqual(globSync('src/*/assets', { cwd: ROOT }).toSorted())
})
