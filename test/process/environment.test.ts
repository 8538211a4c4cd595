/** The environment of the program: a file `.env`, and the Node that runs it. */
import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { useDirectory } from '../support/directory.ts'
import { endPrograms, ROOT, startCommand, startProgram } from '../support/process.ts'

const directory = useDirectory()
afterEach(endPrograms)
const PETSTORE = join(ROOT, 'bin', 'petstore.js')

/** Runs `petstore keys list` in a directory, on a configuration that is not valid; stderr says why. */
async function readProblems(name: string, env: Record<string, string>): Promise<string> {
  const cwd = join(directory, name)
  const { ended, stderr } = startCommand(process.execPath, [PETSTORE, 'keys', 'list'], {
    cwd,
    env: { LOG_LEVEL: 'none', ...env },
  })
  expect(await ended).toBe(1)
  return stderr.join('\n')
}

it('.env is read where the program is started; the environment takes precedence', async () => {
  mkdirSync(join(directory, 'with'))
  writeFileSync(join(directory, 'with', '.env'), 'LOG_LEVEL=loud\nMIGRATE_ON_START=perhaps\n')
  const problems = await readProblems('with', { LOG_LEVEL: 'info' })
  expect(problems).toContain('MIGRATE_ON_START')
  expect(problems).not.toContain('LOG_LEVEL')
})

it('there is no message about a .env that does not exist', async () => {
  mkdirSync(join(directory, 'without'))
  expect(await readProblems('without', {})).not.toContain('.env')
})

it('a .env that cannot be read is named', async () => {
  mkdirSync(join(directory, 'folder', '.env'), { recursive: true })
  expect(await readProblems('folder', {})).toContain('.env cannot be read')
})

it(
  'petstore restarts itself with the options of Node that it needs, as the same process',
  { tags: 'slow' },
  async () => {
    const program = startProgram({ DATA_DIR: join(directory, 'data') })
    await program.ready
    const [node, ...args] = readFileSync(`/proc/${program.child.pid}/cmdline`, 'utf8').split('\0')
    expect(node).toBe(process.execPath)
    expect(args.slice(0, 3)).toEqual(['--max-semi-space-size=16', '--disable-sigusr1', PETSTORE])
  },
)

it('an installation that is not complete is told as such, without a stack', async () => {
  const dist = join(directory, 'incomplete', 'dist')
  cpSync(join(ROOT, 'dist'), dist, { recursive: true })
  const { ended, stderr } = startCommand(process.execPath, [join(dist, 'main.js'), '--version'], { env: {} })
  expect(await ended).toBe(1)
  expect(stderr).toEqual([expect.stringContaining('The installation is not complete')])
})

it('on an older Node, the error says which version is needed', ({ skip }) => {
  const older = ['/usr/bin/node', '/usr/local/bin/node'].find((path) =>
    /^v(1\d|2[0-3])\./.test(versionOf(path)),
  )
  if (older === undefined) return skip('no Node older than 24 is installed')
  const { status, stderr } = spawnSync(older, [PETSTORE, '--version'], { encoding: 'utf8' })
  expect([status, stderr]).toEqual([1, expect.stringMatching(/^Pet Store needs Node 24 .*v[\d.]+\.\n$/)])
})

function versionOf(node: string): string {
  try {
    return execFileSync(node, ['--version'], { encoding: 'utf8' })
  } catch {
    return ''
  }
}
