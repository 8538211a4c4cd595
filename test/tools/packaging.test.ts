/** The package that `npm run package` makes, and the container image with it, both made by the Dockerfile's own commands, without Docker. */
import { execFile, execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { networkInterfaces, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  expect,
  it,
  onTestFinished,
  type TestContext,
} from 'vitest'
import { createClient, idOf } from '../support/client.ts'
import { createPostgresDatabase } from '../support/database.ts'
import { useDirectory } from '../support/directory.ts'
import { buildImage, parseDockerfile, type Stage } from '../support/dockerfile.ts'
import { countFiles } from '../support/pages.ts'
import { runAs } from '../support/postgres.ts'
import { demoKeyOf, endPrograms, type Program, ROOT, startCommand } from '../support/process.ts'

const dockerfile = readFileSync(join(ROOT, 'Dockerfile'), 'utf8')
const directory = useDirectory(tmpdir())
const hasIpv6 = Object.values(networkInterfaces()).some((all) =>
  all?.some(({ address }) => address === '::1'),
)
afterEach(endPrograms)

it('docs/operations.md names the package of this version', () => {
  const names = readFileSync(join(ROOT, 'docs/operations.md'), 'utf8').match(/pet-store-[\d.]+\.tgz/g)
  expect(new Set(names)).toEqual(new Set([`pet-store-${readManifest(ROOT).version}.tgz`]))
})

it('.dockerignore lets through what the Dockerfile copies, and nothing else', () => {
  const copied = parseDockerfile(dockerfile)
    .filter(({ name, text }) => name === 'COPY' && !text.includes('--from='))
    .flatMap(({ text }) =>
      text
        .split(' ')
        .filter((word) => !word.startsWith('--'))
        .slice(0, -1),
    )
  const [first, ...others] = readFileSync(join(ROOT, '.dockerignore'), 'utf8').trim().split('\n').slice(1)
  expect(first).toBe('*')
  const roots = copied.map((path) => (path.startsWith('bin/') ? 'bin' : path))
  expect(new Set(others.map((line) => line.slice(1)))).toEqual(new Set(roots))
})

it('every link in the documents of the package leads to a file in it', () => {
  const listed = execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
    cwd: ROOT,
    encoding: 'utf8',
    stdio: 'pipe',
  })
  const [{ files }] = JSON.parse(listed) as [{ files: { path: string }[] }]
  const packed = files.map(({ path }) => path)
  const documents = packed.filter((path) => path.endsWith('.md'))
  expect(documents).toContain('docs/operations.md')
  const broken = documents.flatMap((path) => {
    const links = readFileSync(join(ROOT, path), 'utf8').matchAll(
      /\]\(([^)\s#]+)[^)]*\)|src(?:set)?="([^"]+)"/g,
    )
    return Array.from(links, ([, link, picture]) => link ?? picture ?? '')
      .filter((link) => !/^[a-z]+:/.test(link))
      .map((link) => join(dirname(path), link))
      .filter((target) => !packed.some((file) => file === target || file.startsWith(`${target}/`)))
      .map((target) => `${path} → ${target}`)
  })
  expect(broken).toEqual([])
})

describe('the package and the image', () => {
  const stages = join(directory, 'stages')
  let image: Stage
  let skipReason: string | null = null
  beforeAll(async () => {
    // The user of the image has to reach it.
    chmodSync(directory, 0o755)
    try {
      image = await buildImage(dockerfile, {
        context: ROOT,
        directory: stages,
        owner: runAs,
      })
    } catch (error) {
      if (!/npm error .*(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT)/.test(String(error)))
        throw error
      skipReason = "npm's registry cannot be reached"
      console.warn(`The image is not tested: ${skipReason}.`)
      return
    }
    setWritable(false)
  }, 300_000)
  afterAll(() => {
    if (skipReason === null) setWritable(true)
  })
  beforeEach((context: TestContext) => {
    if (skipReason !== null) context.skip(skipReason)
  })

  /** A file system that is read-only, but for /data. */
  function setWritable(isWritable: boolean): void {
    execFileSync('chmod', ['-R', isWritable ? 'u+w' : 'a-w', join(image.root, 'opt')])
  }

  /** Runs what the image's ENTRYPOINT runs, as its user, in its environment. */
  function run(args: string[], env: Record<string, string> = {}): Program {
    const [program = ''] = JSON.parse(image.settings.ENTRYPOINT ?? '') as string[]
    return startCommand(program, args, {
      ...runAs,
      cwd: join(image.root, image.workdir),
      env: { ...image.env, HOST: '127.0.0.1', PORT: '0', ...env },
    })
  }

  const command = () => JSON.parse(image.settings.CMD ?? '') as string[]

  it('the package has the files that the program reads, no others, and the versions of the lock file', () => {
    const build = join(stages, 'build', 'build')
    const [archive = ''] = readdirSync(build).filter((name) => name.endsWith('.tgz'))
    expect(archive).toBe(`pet-store-${readManifest(ROOT).version}.tgz`)

    const installed = join(image.root, 'opt', 'pet-store', 'lib', 'node_modules', 'pet-store')
    expect(readdirSync(installed).sort()).toEqual([
      'bin',
      'build.js',
      'dist',
      'drizzle',
      'node_modules',
      'package.json',
    ])
    // One build.
    expect(readdirSync(join(installed, 'dist')).filter((name) => /^app-\w+\.js$/.test(name))).toHaveLength(1)
    for (const path of ['dist/main.js', 'dist/worker.js', 'drizzle/meta/_journal.json'])
      expect(existsSync(join(installed, path)), path).toBe(true)
    for (const [name, version] of Object.entries(readManifest(installed).dependencies))
      expect([name, version]).toEqual([name, readManifest(join(ROOT, 'node_modules', name)).version])
    for (const name of ['fastify', 'esbuild', 'graphql'])
      expect(existsSync(join(installed, 'node_modules', name)), name).toBe(false)
    // Packing changes nothing in the checkout.
    expect(readManifest(build)).toEqual(readManifest(ROOT))
  })

  it('the package serves from the folder in which it is started, and checks what it serves', async () => {
    const cwd = join(directory, 'shop')
    mkdirSync(cwd)
    const commands = join(stages, 'build', 'build', 'installed', 'bin')
    const petstore = join(commands, 'petstore')
    const version = execFileSync(petstore, ['--version'], { encoding: 'utf8' }).trim()
    expect(version).toBe(readManifest(ROOT).version)
    const program = startCommand(petstore, ['serve'], { env: {}, cwd })
    const client = createClient(await program.ready, demoKeyOf(program))
    const id = idOf(await client.createPet({ name: 'Rex', categoryId: 7 }))
    expect((await client.send(`/v1/pets/${id}`)).status).toBe(200)
    expect(statSync(join(cwd, '.data', 'postgres')).isDirectory()).toBe(true)

    const env = { PETSTORE_API_KEY: demoKeyOf(program) }
    const check = startCommand(join(commands, 'petstore-verify'), [`${await program.ready}/v1`], { env, cwd })
    expect(await check.ended).toBe(0)
    expect(check.stdout.join('\n')).toMatch(/^Contract: (\d+) of \1 checked clauses hold\.$/m)
  })

  it('the image serves the embedded database, its pages, and the health check', async () => {
    const program = run(command())
    const url = await program.ready
    const client = createClient(url, demoKeyOf(program))
    expect((await client.send('/v1/pets?limit=100')).json).toHaveLength(25)
    const query = '{ pet(id: 1) { name } pets(filter: { namePrefix: "lu" }) { totalCount } }'
    expect((await client.graphql(query)).data).toEqual({ pet: { name: 'Rex' }, pets: { totalCount: 1 } })
    expect(await countFiles(url)).toEqual({ '/': 8, '/docs': 7, '/graphql': 8 })
    expect(await checkHealth(new URL(url))).toBe(0)
    program.child.kill(image.settings.STOPSIGNAL as NodeJS.Signals)
    expect(await program.ended).toBe(0)
    expect(await checkHealth(new URL(url))).toBe(1)
  })

  it.each(['0.0.0.0', '127.0.0.2', 'localhost', ...(hasIpv6 ? ['::', '::1'] : [])])(
    'the health check asks the address that the server listens on: %s',
    async (host) => {
      const server = createServer((_, response) => response.end())
      onTestFinished(() => void server.close())
      await once(server.listen(0, host), 'listening')
      const { port } = server.address() as AddressInfo
      expect(await checkHealth({ hostname: host, port: String(port) })).toBe(0)
    },
  )

  it('the group of /data may write there, which is all that the user has whom OpenShift chooses', () => {
    expect(statSync(join(image.root, 'data')).mode & 0o777).toBe(0o775)
  })

  it('the image migrates a Postgres, makes a key in it, and serves it', async () => {
    const database = await createPostgresDatabase()
    onTestFinished(() => database.remove())
    expect(await run(['migrate'], database.env).ended).toBe(0)
    const keys = run(['keys', 'create', 'shop'], database.env)
    expect(await keys.ended).toBe(0)

    const program = run(command(), { ...database.env, MIGRATE_ON_START: 'false' })
    const client = createClient(await program.ready, keys.stdout[0] ?? '')
    const created = await client.createPet({ name: 'Waffles', categoryId: 1 })
    expect((await client.send(`/v1/pets/${idOf(created)}`)).text).toBe(created.text)
    program.child.kill(image.settings.STOPSIGNAL as NodeJS.Signals)
    expect(await program.ended).toBe(0)
  })

  /** Runs the image's HEALTHCHECK. @returns its exit status */
  async function checkHealth({ hostname, port }: Pick<URL, 'hostname' | 'port'>): Promise<number> {
    const [, text = ''] = / CMD (\[.*\])$/.exec(image.settings.HEALTHCHECK ?? '') ?? []
    const [program = '', ...args] = JSON.parse(text) as string[]
    const env = { ...image.env, HOST: hostname, PORT: port }
    return promisify(execFile)(program, args, { env }).then(
      () => 0,
      (error: unknown) => (error as { code: number }).code,
    )
  }
})

function readManifest(folder: string) {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
    version: string
    dependencies: Record<string, string>
  }
}
