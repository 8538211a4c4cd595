/** The boundaries between the folders of src: what each may import. See docs/architecture.md, "Rooms". */
import { globSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { cruise, type IForbiddenRuleType } from 'dependency-cruiser'
import { describe, expect, it } from 'vitest'

const src = join(import.meta.dirname, '..', '..', 'src')
const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'))
const read = (file: string) => readFileSync(join(src, file), 'utf8')
const texts = new Map(files.map((file) => [file, read(file)]))

/** A package that has nothing but types. */
const TYPES_ONLY = '@graphql-typed-document-node'

/** One row for each folder, and for each file at the top: what it may import besides itself. */
const walls: Record<string, string[]> = {
  'base/': [],
  'build-files.ts': ['base/', 'db/embedded/', 'pages/', 'runtime.ts'],
  'commands/': [
    'base/',
    'config/',
    'db/',
    'db/embedded/',
    'db/postgres/',
    'http/',
    'keys/',
    'server/',
    'transfer/',
  ],
  'config/': ['base/'],
  'db/': ['base/', 'config/', 'db/events/', 'db/migrations/', 'db/postgres/'],
  'db/embedded/': ['base/', 'config/', 'db/', 'db/events/', 'db/migrations/', 'db/postgres/', 'runtime.ts'],
  'db/events/': ['base/', 'config/', 'db/postgres/'],
  'db/migrations/': ['base/', 'db/postgres/'],
  'db/postgres/': ['base/', 'config/', 'workarounds/'],
  'generated/': [],
  'graphql/': ['base/', 'config/', 'graphql/schema/', 'http/', 'keys/', 'pages/', 'workarounds/'],
  'graphql/schema/': ['base/', 'db/', 'db/events/', 'http/', 'keys/', 'resource/'],
  'http/': ['base/', 'config/', 'generated/', 'keys/', 'telemetry/'],
  'http/connections/': ['base/', 'http/', 'workarounds/'],
  'keys/': ['base/', 'config/', 'db/'],
  'main.ts': ['base/', 'commands/', 'runtime.ts'],
  'pages/': ['base/', 'http/'],
  'pages/assets/': [],
  'pets/': [
    'base/',
    'db/',
    'db/postgres/',
    'generated/',
    'graphql/',
    'graphql/schema/',
    'pages/',
    'resource/',
    'rest/',
  ],
  'resource/': ['base/', 'db/', 'db/events/', 'db/postgres/'],
  'rest/': ['base/', 'generated/', 'graphql/', 'graphql/schema/', 'http/'],
  'runtime.ts': ['base/'],
  'server/': [
    'base/',
    'config/',
    'db/',
    'db/embedded/',
    'db/postgres/',
    'graphql/',
    'graphql/schema/',
    'http/',
    'http/connections/',
    'keys/',
    'pages/',
    'pets/',
    'resource/',
    'rest/',
    'telemetry/',
  ],
  'telemetry/': ['base/', 'config/', 'db/', 'db/postgres/'],
  'transfer/': ['base/', 'db/', 'db/postgres/', 'resource/'],
  'workarounds/': [],
}

const folderOf = (file: string) => (file.includes('/') ? `${dirname(file)}/` : file)
/** A folder without those in it, or a file, as a regular expression of paths. */
const pathOf = (wall: string) => (wall.endsWith('/') ? `^src/${wall}[^/]+$` : `^src/${wall}$`)
const packagesOf = (...names: string[]) => names.map((name) => `(^|node_modules/)${name}(/|$)`)

/** Packages with one owner: who, what, where. */
const owners: [name: string, packages: string[], rooms: string][] = [
  ['only db, resource and pets use SQL', packagesOf('drizzle-orm', 'postgres'), '^src/(db|resource|pets)/'],
  ['only db/embedded uses PGlite', packagesOf('@electric-sql', 'fs-native-extensions'), '^src/db/embedded/'],
  [
    'only http and what Node gets wrong, pages, rest, the routes of graphql, server, the metrics server and the build use HTTP',
    [...packagesOf('fastify', '@fastify', 'negotiator'), '^(node:)?https?$'],
    '^src/((http|pages|rest|server|workarounds)/|graphql/(graphql-routes|responder)\\.ts$|telemetry/metrics-server\\.ts$|build-files\\.ts$)',
  ],
  [
    "only telemetry uses OpenTelemetry's SDK, and the log line, for a trace id",
    packagesOf('@opentelemetry/(?!api/)[^/]+'),
    '^src/(telemetry/|http/request-telemetry\\.ts$)',
  ],
  [
    'only what has spans uses its API',
    packagesOf('@opentelemetry/api'),
    '^src/(telemetry/|(http/request-telemetry|graphql/execute|db/postgres/batch)\\.ts$)',
  ],
  ['only graphql uses Yoga and Pothos', packagesOf('graphql-yoga', '@pothos'), '^src/graphql/'],
]

const rules: IForbiddenRuleType[] = [
  ...Object.entries(walls).map(([room, allowed]) => ({
    name: `${room} imports only what its row allows`,
    from: { path: pathOf(room) },
    to: { path: '^src/.*\\.ts$', pathNot: [pathOf(room), ...allowed.map(pathOf)] },
  })),
  ...owners.map(([name, path, rooms]) => ({ name, from: { path: '^src/', pathNot: rooms }, to: { path } })),
  { name: 'there are no cycles of files', from: { path: '^src/' }, to: { circular: true } },
  {
    name: 'there are no cycles of folders',
    scope: 'folder',
    // What is generated belongs to what it is generated from.
    from: { path: '^src/', pathNot: '^src/generated' },
    to: { circular: true, viaOnly: { pathNot: '^src/generated' } },
  },
  {
    name: 'every package is a dependency, not merely one of a dependency',
    from: { path: '^src/' },
    to: { dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown', 'unknown'], pathNot: TYPES_ONLY },
  },
]

it('each folder of src and each top-level file has a row', () => {
  expect([...new Set(files.map(folderOf))].sort()).toEqual(Object.keys(walls).sort())
})

describe('imports', async () => {
  const options = {
    baseDir: join(src, '..'),
    doNotFollow: 'node_modules',
    validate: true,
    tsPreCompilationDeps: true,
    metrics: true,
    ruleSet: { forbidden: rules.map((rule) => ({ severity: 'error' as const, ...rule })) },
  }
  const resolving = { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default'] }
  const { output } = await cruise(['src'], options, resolving)
  if (typeof output === 'string') throw new Error('An object was expected')
  const { violations } = output.summary
  it.each(rules.map(({ name }) => name))('%s', (name) => {
    const offences = violations.filter(({ rule }) => rule.name === name)
    expect(offences.map(({ from, to }) => `${from} → ${to}`)).toEqual([])
  })
})

it('program.ts loads no command before it runs', () => {
  const program = texts.get('commands/program.ts') ?? ''
  expect(program.match(/^import (?!type )[^']*'\.\/.*/gm)).toBeNull()
})

/** Names that stay as they are for clients and operators; the first one is an example in a message. */
const SETTLED = /https:\/\/pets\.example|Pet Store|pet-store|petstore|pet_store|pets_(?=[<(\\$])/g

/** What a resource is called stands where it is described, and in the rooms that put everything together; also in scripts and styles. */
it.each([
  [
    'a pet',
    /(?<![a-z])pets?(?![a-z])|Pets?(?![a-z])/,
    /^(pets|server|commands|pages|generated)\/|^(base\/service-error|build-files)\.ts$/,
  ],
  ['a category', /categor/i, /^(pets|generated)\//],
])('only the rooms that know %s name it', (_, name, rooms) => {
  const offences = readdirSync(src, { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.(ts|js|css)$/.test(file) && !rooms.test(file))
    .flatMap((file) =>
      read(file)
        .split('\n')
        .map((line, index) => ({ place: `${file}:${index + 1}`, line: line.replaceAll(SETTLED, '') }))
        .filter(({ line }) => name.test(line)),
    )
  expect(offences).toEqual([])
})

it('a folder has at most 16 files, and the top of src at most 6', () => {
  const counts = Object.entries(Object.groupBy(files, (file) => dirname(file)))
  const tooFull = counts.filter(([folder, members = []]) => members.length > (folder === '.' ? 6 : 16))
  expect(tooFull).toEqual([])
})

it('there are no barrel files', () => {
  const barrels = [...texts].filter(([, text]) => /^export [*{].* from '/m.test(text))
  expect(barrels.map(([file]) => file)).toEqual([])
})

const linesOf = (text: string) => text.split('\n').length - 1
/** The most lines that each room may have: to let one grow is a decision that a review sees. */
const mostLines: Record<string, number> = {
  'base/': 395,
  'build-files.ts': 73,
  'commands/': 499,
  'config/': 647,
  'db/': 786,
  'db/embedded/': 349,
  'db/events/': 406,
  'db/migrations/': 149,
  'db/postgres/': 1217,
  'graphql/': 1466,
  'graphql/schema/': 413,
  'http/': 857,
  'http/connections/': 223,
  'keys/': 332,
  'main.ts': 34,
  'pages/': 335,
  'pages/assets/': 22,
  'pets/': 496,
  'resource/': 1657,
  'rest/': 499,
  'runtime.ts': 20,
  'server/': 415,
  'telemetry/': 488,
  'transfer/': 533,
  'workarounds/': 213,
}

it.each(Object.keys(walls).filter((room) => room !== 'generated/'))(
  '%s has no more lines than it may have',
  (room) => {
    const lines = [...texts]
      .filter(([file]) => folderOf(file) === room)
      .reduce((sum, [, text]) => sum + linesOf(text), 0)
    expect(lines).toBeLessThanOrEqual(mostLines[room] ?? 0)
  },
)

describe('names of files', () => {
  const all = globSync(['*', '{src,test,bench,bin,deploy,docs,drizzle,examples,schema,scripts}/**/*.*'], {
    cwd: join(src, '..'),
    exclude: (name) => name === 'node_modules' || name === 'dist',
  })
  const exists = (name: string) =>
    all.some((path) => `/${path}`.endsWith(`/${name.replace(/^(\.\.?\/)+/, '')}`))
  const named = /(?<![\w:/.$*<-])\w[\w./-]*\.(?:ts|js|cjs|mjs|sql|yaml|html|css|graphql)\b(?![\w(*])/g
  /** The driver, and files of it; what a recipe makes. */
  const others = /^(postgres\.js|src\/(index|query|connection)\.js|src\/orders\/.*)$/

  it('a file that a comment or a document names exists', () => {
    const read = (path: string) => readFileSync(join(src, '..', path), 'utf8')
    const checked = all.filter(
      (path) => /\.(ts|js|cjs|md|sql|yaml|css|html)$/.test(path) && !path.includes('generated'),
    )
    const missing = checked.flatMap((path) => {
      const parts = path.endsWith('.md')
        ? Array.from(read(path).matchAll(/`([^`\n]+)`/g), ([, code = '']) => code)
        : read(path)
            .split('\n')
            .filter((line) => /^\s*(\/\/|\/?\*|--|#|<!--)/.test(line))
      return parts
        .flatMap((part) => part.match(named) ?? [])
        .filter((name) => !others.test(name) && !exists(name))
        .map((name) => `${path} → ${name}`)
    })
    expect(missing).toEqual([])
  })
})
