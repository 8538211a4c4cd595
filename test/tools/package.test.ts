/** What `npm pack` makes: a package that is installed and run anywhere. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { createClient, idOf } from '../support/client.ts'
import { useDirectory } from '../support/directory.ts'
import { demoKeyOf, endPrograms, ROOT, startCommand } from '../support/process.ts'

const directory = useDirectory()
afterEach(endPrograms)

it('the package is small, has no sources, and serves from the folder in which it is started', async (context) => {
  const [pack] = JSON.parse(
    execFileSync('npm', ['pack', '--json', '--pack-destination', directory], { cwd: ROOT, encoding: 'utf8' })
      // The build prints before it.
      .replace(/^[^[]*/, ''),
  ) as [{ filename: string; files: { path: string }[] }]
  const archive = join(directory, basename(pack.filename))
  expect(statSync(archive).size).toBeLessThan(6 * 10 ** 6)
  expect(pack.files.filter(({ path }) => /^(src|test|bench|examples)\//.test(path))).toEqual([])

  const prefix = join(directory, 'installed')
  try {
    execFileSync('npm', ['install', '--global', '--prefix', prefix, '--no-audit', '--no-fund', archive])
  } catch (error) {
    if (!/ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT/.test(String(error))) throw error
    context.skip("npm's registry cannot be reached")
  }
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string }
  const petstore = join(prefix, 'bin', 'petstore')
  expect(execFileSync(petstore, ['--version'], { encoding: 'utf8' }).trim()).toBe(version)

  const cwd = join(directory, 'shop')
  mkdirSync(cwd)
  const program = startCommand(petstore, ['serve'], { env: {}, cwd })
  const url = await program.ready
  const client = createClient(url, demoKeyOf(program))
  const id = idOf(await client.createPet('{"name":"Rex","categoryId":7}'))
  expect((await client.send(`/v1/pets/${id}`)).status).toBe(200)
  expect(statSync(join(cwd, '.data', 'postgres')).isDirectory()).toBe(true)
})
