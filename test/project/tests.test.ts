/** The tests themselves: where they lie, and which command runs them. */
import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import config from '../../vitest.config.ts'
import { ROOT } from '../support/process.ts'

/** Tests of what many files make together: their statements, event streams, closing, and whatever reads a header. */
const WITHOUT_SOURCE: Record<string, string[]> = {
  unit: ['db/sql.test.ts', 'resource/sql.test.ts'],
  network: ['closing.test.ts', 'graphql/event-streams.test.ts', 'slow-headers.test.ts'],
}

it.each(Object.entries(WITHOUT_SOURCE))(
  'each test in test/%s has the name and the folder of what it tests',
  (folder, withoutSource) => {
    const tests = globSync('**/*.test.ts', { cwd: join(ROOT, 'test', folder) })
    const sourceOf = (test: string) => join(ROOT, 'src', test.replace(/(\.\w+)?\.test\.ts$/, '.ts'))
    expect(tests.filter((test) => !existsSync(sourceOf(test))).sort()).toEqual(withoutSource)
  },
)

it('npm test and npm run test:slow together run every project once', () => {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>
  }
  const named = ['test', 'test:slow'].flatMap((script) =>
    Array.from((scripts[script] ?? '').matchAll(/--project (\w+)/g), ([, name]) => name),
  )
  const names = config.test?.projects?.map((project) =>
    typeof project === 'object' && 'test' in project ? project.test.name : project,
  )
  // These two are there only with what they need.
  expect(new Set([...(names ?? []), 'pooler', 'citus'])).toEqual(new Set(named))
  expect(named).toHaveLength(new Set(named).size)
})
