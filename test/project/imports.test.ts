/** The boundaries between the folders of src: what each may import. See docs/architecture.md, "Layout". */
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { expect, it } from 'vitest'

const src = join(import.meta.dirname, '..', '..', 'src')
const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'))
const read = (file: string) => readFileSync(join(src, file), 'utf8')
const texts = new Map(files.map((file) => [file, read(file)]))

/** What each file imports: files in src by path, packages by name. */
const imports = new Map(
  [...texts].map(([file, text]) => {
    const targets = [...text.matchAll(/(?:from|import)\s*\(?\s*'([^']+)'/g)].map(([, target = '']) =>
      target.startsWith('.') ? relative(src, join(src, dirname(file), target)) : target,
    )
    return [file, targets]
  }),
)

/** One row for each folder, and for each file at the top: what it may import besides itself. */
const walls: Record<string, string[]> = {
  'base/': [],
  'build-files.ts': ['base/', 'db/embedded/', 'graphql/', 'http/', 'pages/', 'runtime.ts', 'server/'],
  'commands/': [
    'base/',
    'config/',
    'db/',
    'db/citus/',
    'db/embedded/',
    'db/postgres/',
    'http/',
    'keys/',
    'server/',
    'transfer/',
    'verify/',
    'verify/clauses/',
  ],
  'config/': ['base/'],
  'db/': ['base/', 'config/', 'db/citus/', 'db/events/', 'db/migrations/', 'db/postgres/', 'db/standbys/'],
  'db/citus/': ['base/', 'db/events/', 'db/postgres/'],
  'db/embedded/': [
    'base/',
    'config/',
    'db/',
    'db/events/',
    'db/migrations/',
    'db/postgres/',
    'db/standbys/',
    'runtime.ts',
  ],
  'db/events/': ['base/', 'config/', 'db/postgres/', 'db/standbys/'],
  'db/migrations/': ['base/', 'db/postgres/'],
  'db/postgres/': ['base/', 'config/'],
  'db/standbys/': ['base/', 'config/', 'db/postgres/'],
  'generated/': [],
  'graphql/': ['base/', 'config/', 'graphql/schema/', 'http/', 'pages/'],
  'graphql/schema/': ['base/', 'db/', 'http/', 'keys/', 'resource/'],
  'http/': ['base/', 'config/', 'generated/', 'keys/', 'telemetry/'],
  'http/connections/': ['base/', 'http/'],
  'keys/': ['base/', 'config/', 'db/'],
  'main.ts': ['base/', 'commands/', 'runtime.ts'],
  'pages/': ['base/', 'http/'],
  'pages/assets/': [],
  'pets/': ['base/', 'db/', 'db/postgres/', 'generated/', 'graphql/', 'pages/', 'resource/', 'rest/'],
  'pets/graphql/': ['base/', 'db/events/', 'graphql/', 'graphql/schema/', 'keys/', 'pets/', 'resource/'],
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
    'pets/graphql/',
    'resource/',
    'rest/',
    'telemetry/',
  ],
  'telemetry/': ['base/', 'config/', 'db/postgres/', 'db/standbys/'],
  'transfer/': ['base/', 'db/', 'db/postgres/', 'resource/'],
  'verify/': ['base/', 'verify/clauses/'],
  'verify/clauses/': ['base/'],
}

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
  ['only db, resource and pets use SQL', /^(drizzle-orm|postgres)\b/, /^(db|resource|pets)\//],
  ['only db/embedded uses PGlite', /^(@electric-sql|fs-native-extensions)/, /^db\/embedded\//],
  [
    'only http, pages, rest, the routes of graphql, server, the metrics server and verify, a client, use HTTP',
    /^(fastify|@fastify\/.*|node:https?|negotiator)$/,
    /^(http|pages|rest|verify)\/|^graphql\/(routes|graphiql-page)\.ts$|^server\/|^telemetry\/metrics-server\.ts$/,
  ],
  [
    'only telemetry uses OpenTelemetry, and the log line, for a trace id',
    /^@opentelemetry/,
    /^telemetry\/|^http\/request-telemetry\.ts$/,
  ],
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

/** Names that stay as they are for clients and operators; the first one is an example in a message. */
const SETTLED = /https:\/\/pets\.example|Pet Store|pet-store|petstore|pet_store|pets_(?=[<(\\$])/g

/** What a resource is called stands where it is described, and in the rooms that put everything together; also in scripts and styles. */
it.each([
  [
    'a pet',
    /(?<![a-z])pets?(?![a-z])|Pets?(?![a-z])/,
    /^(pets|server|commands|pages|verify|generated)\/|^(base\/errors|build-files)\.ts$/,
  ],
  ['a category', /categor/i, /^(pets|verify|generated)\//],
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

/** What imports what, by file or by folder. */
function findCycles(targets: ReadonlyMap<string, readonly string[]>): string[] {
  const cycles: string[] = []
  const done = new Set<string>()
  const visit = (one: string, path: string[]) => {
    if (path.includes(one)) cycles.push([...path.slice(path.indexOf(one)), one].join(' → '))
    else if (!done.has(one)) {
      for (const target of targets.get(one) ?? []) visit(target, [...path, one])
      done.add(one)
    }
  }
  for (const one of targets.keys()) visit(one, [])
  return cycles
}

it('there are no cycles of files', () => {
  expect(findCycles(imports)).toEqual([])
})

it('there are no cycles of folders', () => {
  const folders = Map.groupBy(
    // What is generated belongs to what it is generated from.
    files.filter((file) => !file.startsWith('generated/')),
    folderOf,
  )
  const targets = new Map(
    [...folders].map(([folder, members]) => {
      const imported = members
        .flatMap((file) => imports.get(file) ?? [])
        .filter((file) => file.endsWith('.ts'))
      return [folder, [...new Set(imported.map(folderOf))].filter((target) => target !== folder)]
    }),
  )
  expect(findCycles(targets)).toEqual([])
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
