/** What `npm start` runs: a bundle that always matches the sources. packaging.test.ts runs it without them. */
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { copyProject } from './copy-project.ts'
import { createClient } from '../support/client.ts'
import { copyDataDirectory } from '../support/database.ts'
import { useDirectory } from '../support/directory.ts'
import { eventually } from '../support/eventually.ts'
import { endPrograms, startCommand, startProgram } from '../support/process.ts'

/** What an installation needs besides node_modules. */
const FILES =
  'bin build.js drizzle package.json package-lock.json schema src test/conformance tsconfig.json'.split(' ')

const directory = useDirectory(tmpdir())
afterEach(endPrograms)

function replaceIn(file: string, old: string, replacement: string): void {
  const text = readFileSync(file, 'utf8')
  expect(text).toContain(old)
  writeFileSync(file, text.replace(old, replacement))
}

describe('the bundle', () => {
  const project = join(directory, 'project')
  const bundle = join(project, 'dist', 'main.js')
  const source = join(project, 'src', 'commands', 'program.ts')
  beforeAll(() => void copyProject(project, FILES))

  /** Runs the program, and returns what it prints. @param builds whether it says that it builds the bundle */
  async function help(builds = false): Promise<string> {
    const program = startProgram({}, ['--help'], project)
    expect([await program.ended, program.stderr.length]).toEqual([0, builds ? 1 : 0])
    if (builds) expect(program.stderr[0]).toContain('Building')
    return program.stdout.join('\n')
  }

  it('the bundle is built by the first start', async () => {
    expect(existsSync(bundle)).toBe(false)
    expect(await help(true)).toContain('Usage: ')
    expect(existsSync(bundle)).toBe(true)
  })

  it('the bundle is not rebuilt if the sources are unchanged', async () => {
    const { mtimeMs } = statSync(bundle)
    utimesSync(source, new Date(), new Date())
    await help()
    expect(statSync(bundle).mtimeMs).toBe(mtimeMs)
  })

  it('the bundle is rebuilt after a change, and no file of an earlier one remains', async () => {
    const dist = join(project, 'dist')
    const outdated = [
      'app-EARLIER.js',
      'app-EARLIER.js.map',
      'files/libraries/scalar-0.0.0',
      'files/pages/old.js',
    ]
    const [script = '', map = '', folder = '', file = ''] = outdated
    mkdirSync(join(dist, folder))
    for (const path of [script, map, join(folder, 'scalar.js'), file]) writeFileSync(join(dist, path), '')
    replaceIn(source, 'apply the database migrations', 'First change')
    expect(await help(true)).toContain('First change')
    expect(outdated.filter((path) => existsSync(join(dist, path)))).toEqual([])
    expect(existsSync(join(dist, 'files', 'pages', 'assets', 'shared', 'page.css'))).toBe(true)
  })

  it('the bundle is rebuilt after a change with an old modification time', async () => {
    replaceIn(source, 'First change', 'Second change')
    utimesSync(source, new Date(0), new Date(0))
    expect(await help(true)).toContain('Second change')
  })

  it('a build replaces the files of the one before, and the files that lead to others last', async () => {
    const dist = join(project, 'dist')
    const isWhole = () => ['main.js', 'sources.sha256', 'files'].every((name) => existsSync(join(dist, name)))
    const { mtimeMs } = statSync(bundle)
    const build = startCommand('node', ['build.js'], { env: {}, cwd: project })
    let wasWhole = isWhole()
    const timer = setInterval(() => (wasWhole &&= isWhole()), 1)
    expect(await build.ended).toBe(0)
    clearInterval(timer)
    expect(wasWhole).toBe(true)
    expect(statSync(bundle).mtimeMs).toBeGreaterThan(mtimeMs)
    const parts = readdirSync(dist).filter((name) => /^(app|chunk)-\w+\.js$/.test(name))
    expect(parts).not.toEqual([])
    for (const part of parts)
      expect(statSync(join(dist, part)).mtimeMs).toBeLessThanOrEqual(statSync(bundle).mtimeMs)
  })

  it('the bundle is not run if a source file that it needs was deleted', async () => {
    const deleted = join(project, 'src', 'commands', 'serve.ts')
    renameSync(deleted, `${deleted}.bak`)
    const program = startProgram({}, ['--help'], project)
    expect([await program.ended, program.stdout]).toEqual([1, []])
    expect(program.stderr.join('\n')).toContain('./serve.ts')
    renameSync(`${deleted}.bak`, deleted)
    expect(await help()).toContain('Usage: ')
  })
})

it('npm run dev restarts when a source changes, or a file of the pages', async () => {
  const project = copyProject(join(directory, 'dev'), FILES)
  const data = join(directory, 'dev-data')
  copyDataDirectory(data)
  const options = { cwd: project, env: { DATA_DIR: data }, detached: true }
  const program = startCommand('npm', ['run', 'dev'], options)
  const url = await program.ready
  expect((await createClient(url, '').send('/readyz', { key: null })).status).toBe(200)
  replaceIn(join(project, 'src', 'commands', 'serve.ts'), 'Pet Store is ready', 'The new code is ready')
  const isReady = (line: string) => line.includes('The new code is ready')
  await eventually(() => expect(program.stdout.some(isReady)).toBe(true))
  replaceIn(join(project, 'src', 'pages', 'assets', 'shared', 'page.css'), 'margin: 0', 'margin: 1px')
  await eventually(async () => {
    // Each start has a port of its own.
    const [latest = ''] = /http:\S+/.exec(program.stdout.findLast(isReady) ?? '') ?? []
    const style = await fetch(new URL('files/pages/assets/shared/page.css', latest))
    expect(await style.text()).toContain('margin: 1px')
  })
})
