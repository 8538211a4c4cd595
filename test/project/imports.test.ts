/** The dependency rules between the folders of src: what each may import. See docs/architecture.md, "Folders". */
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { cruise, type IForbiddenRuleType } from 'dependency-cruiser'
import { describe, expect, it } from 'vitest'

const src = join(import.meta.dirname, '..', '..', 'src')
const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'))
const read = (file: string) => readFileSync(join(src, file), 'utf8')

/** Packages of which only types are used. */
const TYPES_ONLY = '(@graphql-typed-document-node|@scalar/types)'

/** The folders of the resources that server/resources.ts lists: `pets`, and what a recipe adds. */
const resourceFolders = Array.from(
  read('server/resources.ts').matchAll(/^import .* from '\.\.\/(\w+)\/\w+-resource\.ts'/gm),
  ([, folder = '']) => folder,
)
const resources = `(${resourceFolders.join('|')})`

/** What a resource may import, besides other resources. */
const allowedForResources = [
  'base/',
  'db/',
  'db/postgres/',
  'generated/',
  'graphql/limits/',
  'graphql/pothos/',
  'graphql/request/',
  'graphql/variables/',
  'pages/',
  'resource/',
  'resource/fields/',
  'resource/lists/',
  'resource/writes/',
  'rest/',
]

/** What each folder, and each file at the top, may import besides itself. */
const allowedForFolders: Record<string, string[]> = {
  'base/': [],
  'build-files.ts': ['base/', 'db/embedded/', 'pages/', 'runtime.ts'],
  'commands/': [
    'base/',
    'commands/database/',
    'config/',
    'db/',
    'http/',
    'keys/',
    'server/',
    'transfer/',
    'workarounds/',
  ],
  'commands/database/': ['base/', 'config/', 'db/', 'db/postgres/', 'server/'],
  'config/': ['base/', 'generated/'],
  'db/': [
    'base/',
    'db/events/',
    'db/postgres/',
    'db/postgres/connections/',
    'db/postgres/pool/',
    'db/standbys/',
  ],
  'db/embedded/': [
    'base/',
    'config/',
    'db/',
    'db/events/',
    'db/migrations/',
    'db/postgres/',
    'db/postgres/connections/',
    'db/postgres/pool/',
    'runtime.ts',
    'workarounds/',
  ],
  'db/events/': ['base/', 'db/postgres/', 'db/postgres/connections/'],
  'db/external/': [
    'base/',
    'config/',
    'db/',
    'db/events/',
    'db/migrations/',
    'db/postgres/',
    'db/postgres/connections/',
    'db/postgres/pool/',
    'db/standbys/',
  ],
  'db/migrations/': ['base/', 'db/postgres/', 'db/postgres/connections/'],
  'db/postgres/': ['base/'],
  'db/postgres/connections/': ['base/', 'config/', 'db/postgres/', 'workarounds/'],
  'db/postgres/pool/': ['base/', 'db/postgres/', 'db/postgres/connections/'],
  'db/standbys/': ['base/', 'config/', 'db/postgres/', 'db/postgres/pool/'],
  'generated/': [],
  'graphql/': [
    'base/',
    'graphql/documents/',
    'graphql/errors/',
    'graphql/limits/',
    'graphql/live/',
    'graphql/request/',
    'graphql/variables/',
    'http/',
    'keys/',
    'telemetry/',
    'workarounds/',
  ],
  'graphql/documents/': ['base/', 'graphql/errors/', 'graphql/limits/', 'graphql/request/', 'workarounds/'],
  'graphql/errors/': ['base/', 'db/postgres/', 'graphql/request/', 'http/'],
  'graphql/limits/': ['base/', 'config/', 'resource/fields/', 'resource/lists/'],
  'graphql/live/': ['base/', 'graphql/documents/', 'graphql/errors/', 'graphql/request/', 'keys/'],
  'graphql/pothos/': [
    'base/',
    'db/events/',
    'graphql/limits/',
    'graphql/request/',
    'resource/',
    'resource/fields/',
    'resource/lists/',
  ],
  'graphql/request/': ['base/', 'config/', 'db/', 'http/', 'keys/'],
  'graphql/variables/': ['base/', 'graphql/errors/', 'graphql/request/', 'resource/fields/'],
  'http/': ['base/', 'config/', 'generated/', 'keys/', 'telemetry/'],
  'http/connections/': ['base/', 'http/', 'workarounds/'],
  'keys/': ['base/', 'config/', 'db/', 'db/postgres/'],
  'main.ts': ['base/', 'commands/', 'keys/', 'runtime.ts'],
  'pages/': ['base/', 'http/'],
  'pages/assets/': [],
  'resource/': [
    'base/',
    'db/',
    'db/events/',
    'db/postgres/',
    'resource/citus/',
    'resource/fields/',
    'resource/lists/',
    'resource/writes/',
  ],
  'resource/citus/': [
    'base/',
    'db/',
    'db/events/',
    'db/postgres/',
    'resource/fields/',
    'resource/lists/',
    'resource/writes/',
  ],
  'resource/fields/': ['base/', 'db/', 'db/events/', 'db/postgres/'],
  'resource/lists/': ['base/', 'db/', 'db/events/', 'db/postgres/', 'resource/fields/'],
  'resource/writes/': ['base/', 'db/', 'db/postgres/', 'resource/fields/'],
  'rest/': ['base/', 'generated/', 'graphql/', 'graphql/request/', 'http/'],
  'runtime.ts': ['base/'],
  'server/': [
    'base/',
    'config/',
    'db/',
    'db/embedded/',
    'db/external/',
    'graphql/',
    'graphql/documents/',
    'graphql/live/',
    'graphql/pothos/',
    'graphql/request/',
    'http/',
    'http/connections/',
    'keys/',
    'pages/',
    'resource/',
    'resource/fields/',
    'rest/',
    'telemetry/',
    'workarounds/',
    `${resources}/`,
  ],
  'telemetry/': ['base/', 'config/', 'db/postgres/'],
  'transfer/': ['base/', 'db/', 'db/events/', 'db/postgres/', 'db/postgres/connections/', 'resource/fields/'],
  'workarounds/': [],
}

/** One row for each folder, and for each file at the top. */
const allowedImports: Record<string, string[]> = {
  ...allowedForFolders,
  ...Object.fromEntries(
    resourceFolders.map((folder) => [`${folder}/`, [...allowedForResources, `${resources}/`]]),
  ),
}

const folderOf = (file: string) => (file.includes('/') ? `${dirname(file)}/` : file)
/** A folder without those in it, or a file, as a regular expression of paths. */
const pathOf = (name: string) => (name.endsWith('/') ? `^src/${name}[^/]+$` : `^src/${name}$`)
const packagesOf = (...names: string[]) => names.map((name) => `(^|node_modules/)${name}(/|$)`)

/** Packages with one owner: who, what, where. */
const owners: [name: string, packages: string[], places: string][] = [
  [
    'only db, resource, the resources and transfer use SQL',
    packagesOf('drizzle-orm', 'postgres'),
    `^src/(db|resource|transfer|${resources})/`,
  ],
  ['only db/embedded uses PGlite', packagesOf('@electric-sql', 'fs-native-extensions'), '^src/db/embedded/'],
  [
    'only http and what Node gets wrong, pages, rest, the routes of graphql, server, the metrics server and the build use HTTP',
    [...packagesOf('fastify', '@fastify', 'negotiator'), '^(node:)?https?$'],
    '^src/((http|pages|rest|server|workarounds)/|graphql/graphql-routes\\.ts$|telemetry/metrics-server\\.ts$|build-files\\.ts$)',
  ],
  [
    "only telemetry uses OpenTelemetry's SDK, and the log line, for a trace id",
    packagesOf('@opentelemetry/(?!api/)[^/]+'),
    '^src/(telemetry/|http/request-telemetry\\.ts$)',
  ],
  [
    'only what has spans uses its API',
    packagesOf('@opentelemetry/api'),
    '^src/(telemetry/|(base/observation|http/request-(record|telemetry)|db/postgres/batch)\\.ts$)',
  ],
  ['only graphql uses Yoga and Pothos', packagesOf('graphql-yoga', '@pothos'), '^src/graphql/'],
]

const rules: IForbiddenRuleType[] = [
  ...Object.entries(allowedImports).map(([name, allowed]) => ({
    name: `${name} imports only what its row allows`,
    from: { path: pathOf(name) },
    to: { path: '^src/.*\\.(ts|json)$', pathNot: [pathOf(name), ...allowed.map(pathOf)] },
  })),
  ...owners.map(([name, path, places]) => ({ name, from: { path: '^src/', pathNot: places }, to: { path } })),
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
  expect([...new Set(files.map(folderOf))].sort()).toEqual(Object.keys(allowedImports).sort())
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
  const { modules, summary } = output
  const { violations } = summary
  it.each(rules.map(({ name }) => name))('%s', (name) => {
    const offences = violations.filter(({ rule }) => rule.name === name)
    expect(offences.map(({ from, to }) => `${from} → ${to}`)).toEqual([])
  })

  it('each row allows only what is imported', () => {
    const imported = modules.flatMap(({ source, dependencies }) =>
      dependencies.map(({ resolved }) => [source, resolved] as const),
    )
    const isUsed = (from: RegExp, to: RegExp) =>
      imported.some(([source, resolved]) => from.test(source) && to.test(resolved))
    const unused = Object.entries({ ...allowedForFolders, [`${resources}/`]: allowedForResources }).flatMap(
      ([name, allowed]) =>
        allowed
          .filter((other) => !isUsed(new RegExp(pathOf(name)), new RegExp(pathOf(other))))
          .map((other) => `${name} → ${other}`),
    )
    expect(unused).toEqual([])
  })
})

it('program.ts loads no command before it runs', () => {
  expect(
    read('commands/program.ts').match(/^import (?!type )[^']*'\.\/(?!key-arguments\.ts').*/gm),
  ).toBeNull()
})

/** Names that stay as they are for clients and operators: an example in a message, the beginning of every secret. */
const SETTLED = /https:\/\/pets\.example|Pet Store|pet-store|petstore|pet_store|pets_(?=[<(\\$']|k3v9)/g
const PET = /(?<![a-z])pets?(?![a-z])|Pets?(?![a-z])/
const CATEGORY = /categor/i

/** What a resource is called stands where it is described, and in the folders that put everything together; also in scripts, styles, HTML and SQL. */
it.each([
  [
    'src',
    'a pet',
    PET,
    new RegExp(`^(${resources}|server|commands|generated)/|^(base/error-catalogue|build-files)\\.ts$`),
  ],
  ['src', 'a category', CATEGORY, /^(pets|generated)\//],
  // The schema that the tests of graphql query is that of the service.
  ['test/unit', 'a pet', PET, new RegExp(`^(${resources}|graphql)/|^support/(pets|resolvers)\\.ts$`)],
  ['test/unit', 'a category', CATEGORY, /^(pets|graphql)\/|^support\/pets\.ts$/],
])('only the folders of %s that know %s name it', (root, _, name, folders) => {
  const parent = join(src, '..', root)
  const offences = readdirSync(parent, { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.(ts|js|css|html|sql)$/.test(file) && !folders.test(file))
    .flatMap((file) =>
      readFileSync(join(parent, file), 'utf8')
        .split('\n')
        .map((line, index) => ({ place: `${file}:${index + 1}`, line: line.replaceAll(SETTLED, '') }))
        .filter(({ line }) => name.test(line)),
    )
  expect(offences).toEqual([])
})
