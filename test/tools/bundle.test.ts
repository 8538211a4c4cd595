/** What `npm start` runs: a bundle that always matches the sources. */
import {
  cpSync,
  existsSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { createClient, idOf } from '../support/client.ts'
import { copyDataDirectory, createPostgresDatabase } from '../support/database.ts'
import { useDirectory } from '../support/directory.ts'
import { eventually } from '../support/eventually.ts'
import { countFiles } from '../support/pages.ts'
import { endPrograms, ROOT, startCommand, startProgram } from '../support/process.ts'
import { KEY } from '../support/service.ts'

/** What an installation needs besides node_modules. */
const FILES = 'bin build.js drizzle package.json package-lock.json schema src tsconfig.json'.split(' ')

const directory = useDirectory()
afterEach(endPrograms)

/** @returns the path of a copy of the project that was never built */
function copyProject(name: string): string {
  const copy = join(directory, name)
  for (const file of FILES) cpSync(join(ROOT, file), join(copy, file), { recursive: true })
  symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'))
  // Making a new database takes most of the time of a build; the container image is tested with one that it makes itself.
  for (const file of ['new-database.tar.zst', 'new-database.tar.zst.sha256'])
    cpSync(join(ROOT, 'dist', file), join(copy, 'dist', file))
  return copy
}

function replaceIn(file: string, old: string, replacement: string): void {
  const text = readFileSync(file, 'utf8')
  expect(text).toContain(old)
  writeFileSync(file, text.replace(old, replacement))
}

describe('the bundle', () => {
  const project = join(directory, 'project')
  const bundle = join(project, 'dist', 'main.js')
  const source = join(project, 'src', 'commands', 'program.ts')
  beforeAll(() => copyProject('project'))

  /** Runs the program, and returns what it prints. */
  async function help(): Promise<string> {
    const program = startProgram({}, ['--help'], project)
    expect([await program.ended, program.stderr]).toEqual([0, []])
    return program.stdout.join('\n')
  }

  it('the bundle is built by the first start, and again after a change, whatever the time of that', async () => {
    expect(existsSync(bundle)).toBe(false)
    expect(await help()).toContain('Usage: ')
    const { mtimeMs } = statSync(bundle)
    utimesSync(source, new Date(), new Date())
    await help()
    expect(statSync(bundle).mtimeMs).toBe(mtimeMs)
    replaceIn(source, 'apply the database migrations', 'First change')
    expect(await help()).toContain('First change')
    replaceIn(source, 'First change', 'Second change')
    utimesSync(source, new Date(0), new Date(0))
    expect(await help()).toContain('Second change')
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

describe('the bundle without the sources', () => {
  let project: string
  beforeAll(async () => {
    project = copyProject('without-sources')
    await startProgram({}, ['--help'], project).ended
    rmSync(join(project, 'src'), { recursive: true })
  })

  it.each(['the embedded database', 'Postgres'])(
    'the bundle without the sources serves every path on %s',
    async (database) => {
      const program = startProgram({ ...(await createEnv(database)), API_KEYS: `test:${KEY}` }, [], project)
      const url = await program.ready
      const client = createClient(url, KEY)
      const created = await client.createPet({ name: 'Waffles', categoryId: 1, status: 'sold' })
      expect(created.status).toBe(201)
      const id = idOf(created)
      expect((await client.send(`/v1/pets/${id}`)).text).toBe(created.text)
      expect((await client.send('/v1/pets?status=sold&limit=100')).text).toContain(created.text)
      const query = `{ pet(id: ${id}) { name } pets(filter: { namePrefix: "waf" }) { totalCount } }`
      expect((await client.graphql(query)).data).toEqual({
        pet: { name: 'Waffles' },
        pets: { totalCount: 1 },
      })
      for (const path of ['/healthz', '/readyz', '/v1/openapi.json'])
        expect((await client.send(path, { key: null })).status).toBe(200)
      expect(await countFiles(url)).toEqual({ '/': 6, '/docs': 6, '/graphql': 7 })
    },
  )

  async function createEnv(database: string): Promise<Record<string, string>> {
    if (database !== 'Postgres') {
      const data = join(directory, 'data')
      copyDataDirectory(data)
      return { DATA_DIR: data }
    }
    const created = await createPostgresDatabase()
    onTestFinished(() => created.remove())
    return created.env
  }
})

it('npm run dev restarts when a source changes, or a file of the pages', async () => {
  const project = copyProject('dev')
  const data = join(directory, 'dev-data')
  copyDataDirectory(data)
  const options = { cwd: project, env: { DATA_DIR: data }, detached: true }
  const program = startCommand('npm', ['run', 'dev'], options)
  const url = await program.ready
  expect((await createClient(url, '').send('/readyz', { key: null })).status).toBe(200)
  replaceIn(join(project, 'src', 'commands', 'serve.ts'), 'Pet Store is ready', 'The new code is ready')
  const isReady = (line: string) => line.includes('The new code is ready')
  await eventually(() => expect(program.stdout.some(isReady)).toBe(true))
  replaceIn(join(project, 'src', 'pages', 'assets', 'page.css'), 'margin: 0', 'margin: 1px')
  await eventually(async () => {
    // Each start has a port of its own.
    const [latest = ''] = /http:\S+/.exec(program.stdout.findLast(isReady) ?? '') ?? []
    const page = await fetch(latest, { headers: { accept: 'text/html' } })
    const [style = ''] = /assets\/[\w-]+\/page\.css/.exec(await page.text()) ?? []
    expect(await (await fetch(new URL(style, latest))).text()).toContain('margin: 1px')
  })
})
