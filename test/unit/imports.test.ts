/** The boundaries between the folders of src: what each may import. See src/README.md, "Layout". */
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { expect, it } from 'vitest'

const src = join(import.meta.dirname, '..', '..', 'src')
const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'))
const texts = new Map(files.map((file) => [file, readFileSync(join(src, file), 'utf8')]))

/** What each file imports: files in src by path, packages by name. */
const imports = new Map(
  [...texts].map(([file, text]) => {
    const targets = [...text.matchAll(/(?:from|import)\s*\(?\s*'([^']+)'/g)].map(([, target = '']) =>
      target.startsWith('.') ? relative(src, join(src, dirname(file), target)) : target,
    )
    return [file, targets]
  }),
)

/** Files at the top that any folder may import. */
const base = [
  'config.ts',
  'database-config.ts',
  'database-url.ts',
  'env.ts',
  'errors.ts',
  'int64.ts',
  'json.ts',
  'memory-budget.ts',
  'project-root.ts',
  'trace-scope.ts',
  'wait-at-most.ts',
]

/** One row for each folder, and for each top-level file that is not in `base`: what it may import besides itself. */
const walls: Record<string, string[]> = {
  'main.ts': ['runtime.ts', 'commands/'],
  'commands/': [
    ...base,
    'db/citus/distribute.ts',
    'db/postgres/dedicated-connection.ts',
    'server.ts',
    'create-database.ts',
    'duration.ts',
    'http/paths.ts',
    'keys/',
    'transfer/',
    'verify/',
    'verify/clauses/',
    'db/',
    'db/embedded/',
  ],
  'transfer/': [...base, 'db/', 'db/postgres/'],
  'verify/': ['json.ts', 'verify/clauses/'],
  'verify/clauses/': ['int64.ts', 'json.ts'],
  'server.ts': [
    ...base,
    'app.ts',
    'auth.ts',
    'create-database.ts',
    'http/',
    'graphql/trusted-documents.ts',
    'keys/',
    'telemetry/',
    'db/',
  ],
  'create-database.ts': [...base, 'db/', 'db/embedded/', 'db/postgres/statement-observer.ts'],
  'duration.ts': [],
  'app.ts': [
    ...base,
    'auth.ts',
    'request-context.ts',
    'http/',
    'pages/',
    'rest/',
    'graphql/',
    'graphql/schema/',
    'telemetry/telemetry.ts',
    'db/database.ts',
    'db/shared-request-counts.ts',
  ],
  'request-context.ts': [...base, 'http/', 'graphql/schema/context.ts', 'db/'],
  'keys/': [...base, 'auth.ts', 'db/'],
  'auth.ts': base,
  'runtime.ts': base,
  'rest/': [...base, 'generated/', 'http/', 'graphql/operation.ts', 'graphql/schema/context.ts'],
  'graphql/': [...base, 'http/', 'graphql/schema/', 'graphql/graphiql/'],
  'graphql/graphiql/': [...base, 'http/', 'pages/'],
  'pages/': [...base, 'http/'],
  'graphql/schema/': [...base, 'auth.ts', 'db/'],
  'http/': [...base, 'auth.ts', 'generated/', 'telemetry/telemetry.ts'],
  'telemetry/': [...base, 'db/postgres/errors.ts', 'db/postgres/statement-observer.ts'],
  'db/': [...base, 'db/postgres/', 'db/embedded/', 'db/citus/'],
  'db/citus/': [...base, 'db/', 'db/postgres/'],
  'db/postgres/': base,
  'db/embedded/': [...base, 'runtime.ts'],
  'generated/': [],
}
for (const file of base) walls[file] = base
walls['config.ts'] = [...base, 'keys/', 'telemetry/settings.ts']

const folderOf = (file: string) => (file.includes('/') ? `${dirname(file)}/` : file)
const isWithin = (target: string, wall: string) => target === wall || folderOf(target) === wall

it('each folder of src and each top-level file has a row', () => {
  expect([...new Set(files.map(folderOf))].sort()).toEqual(Object.keys(walls).sort())
})

it.each(Object.entries(walls))('%s imports only what its row allows', (folder, allowed) => {
  const offences = files
    .filter((file) => folderOf(file) === folder)
    .flatMap((file) => (imports.get(file) ?? []).map((target) => ({ file, target })))
    .filter(({ target }) => target.endsWith('.ts') && folderOf(target) !== folder)
    .filter(({ target }) => !allowed.some((wall) => isWithin(target, wall)))
  expect(offences).toEqual([])
})

/** Packages with one owner. */
it.each([
  ['only db uses SQL', /^(drizzle-orm|postgres)\b/, /^db\//],
  ['only db/embedded uses PGlite', /^(@electric-sql|fs-native-extensions)/, /^db\/embedded\//],
  [
    'only http, pages, rest, the routes of graphql, app, server, the metrics server and verify, a client, use HTTP',
    /^(fastify|@fastify\/.*|node:https?|negotiator|fresh)$/,
    /^(http|pages|rest|verify)\/|^graphql\/(routes|fast-path|graphiql\/routes)\.ts$|^(app|server|request-context|telemetry\/metrics-server)\.ts$/,
  ],
  ['only telemetry uses OpenTelemetry', /^@opentelemetry/, /^telemetry\//],
  ['only graphql uses Yoga and Pothos', /^(graphql-yoga|@pothos|graphql-jit)/, /^graphql\//],
])('%s', (_, packages, owners) => {
  const offences = [...imports].filter(
    ([file, targets]) => !owners.test(file) && targets.some((target) => packages.test(target)),
  )
  expect(offences.map(([file]) => file)).toEqual([])
})

it('every package is a dependency, not merely one of a dependency', () => {
  const path = join(src, '..', 'package.json')
  const { dependencies } = JSON.parse(readFileSync(path, 'utf8')) as { dependencies: object }
  const targets = [...imports.values()].flat().filter((target) => !/\.(ts|json)$/.test(target))
  const packages = new Set(
    targets.flatMap((target) => /^(?:@[\w-]+\/)?[\w-]+(?=\/|$)/.exec(target)?.[0] ?? []),
  )
  // Has nothing but types.
  packages.delete('@graphql-typed-document-node/core')
  expect([...packages].filter((name) => !(name in dependencies))).toEqual([])
})

it('program.ts loads no command before it runs', () => {
  const program = texts.get('commands/program.ts') ?? ''
  expect(program.match(/^import (?!type )[^']*'\.\/.*/gm)).toBeNull()
})

it('db/postgres and db/embedded do not mention pets', () => {
  const offences = [...texts].filter(
    ([file, text]) => /^db\/(postgres|embedded)\//.test(file) && /\bpets?\b(?!-store)/i.test(text),
  )
  expect(offences.map(([file]) => file)).toEqual([])
})

it('there are no cycles', () => {
  const cycles: string[] = []
  const visit = (file: string, path: string[]) => {
    if (path.includes(file)) cycles.push([...path.slice(path.indexOf(file)), file].join(' → '))
    else for (const target of imports.get(file) ?? []) visit(target, [...path, file])
  }
  for (const file of files) visit(file, [])
  expect(cycles).toEqual([])
})

it('there are no barrel files', () => {
  const barrels = [...texts].filter(([, text]) => /^export [*{].* from '/m.test(text))
  expect(barrels.map(([file]) => file)).toEqual([])
})

it('no file has more than 170 lines', () => {
  const long = [...texts].filter(
    ([file, text]) => !file.startsWith('generated/') && text.split('\n').length > 170,
  )
  expect(long.map(([file]) => file)).toEqual([])
})
