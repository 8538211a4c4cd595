/** Data flows one way, and so do imports: the rules of README's "How it works". */
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { expect, it } from 'vitest'

const src = join(import.meta.dirname, '..', '..', 'src')
const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'))
const texts = new Map(files.map((file) => [file, readFileSync(join(src, file), 'utf8')]))

/** What each file imports: files of src by their path in it, packages by name. */
const imports = new Map(
  [...texts].map(([file, text]) => {
    const targets = [...text.matchAll(/(?:from|import)\s*\(?\s*'([^']+)'/g)].map(([, target = '']) =>
      target.startsWith('.') ? relative(src, join(src, dirname(file), target)) : target,
    )
    return [file, targets]
  }),
)

const importsOf = (pattern: RegExp) =>
  [...imports]
    .filter(([file]) => pattern.test(file))
    .flatMap(([file, targets]) => targets.map((target) => ({ file, target })))
const offences = (from: RegExp, to: RegExp) => importsOf(from).filter(({ target }) => to.test(target))

it('reads every file', () => expect(files.length).toBeGreaterThan(20))

/** What each layer may import of ours, besides itself: lower layers only. */
const base = [
  'errors.ts',
  'config.ts',
  'config-values.ts',
  'int64.ts',
  'json-object.ts',
  'paths.ts',
  'trusted-manifest.ts',
]
const layers: Record<string, string[]> = {
  'errors.ts': [],
  'config.ts': ['config-values.ts'],
  'config-values.ts': [],
  'json-object.ts': [],
  'trusted-manifest.ts': ['json-object.ts'],
  'int64.ts': [],
  'paths.ts': [],
  'auth.ts': base,
  'http.ts': [...base, 'auth.ts', 'rate-limits.ts'],
  'rate-limits.ts': base,
  'log-lines.ts': [],
  'compile-cache.ts': [],
  'request-log.ts': base,
  'drain.ts': base,
  'docs.ts': [...base, 'http.ts'],
  'db/': [...base, 'compile-cache.ts'],
  'generated/': [],
  // Resolvers and the engine; of keys they know the names only.
  'graphql/': [...base, 'auth.ts', 'db/'],
  'graphql/http.ts': [...base, 'http.ts', 'graphql/'],
  'graphql/http-graphiql.ts': [...base, 'http.ts', 'graphql/'],
  'rest/': [...base, 'http.ts', 'generated/', 'graphql/builder.ts', 'graphql/engine.ts'],
  'server.ts': [
    ...base,
    'auth.ts',
    'http.ts',
    'rate-limits.ts',
    'request-log.ts',
    'drain.ts',
    'docs.ts',
    'db/',
    'graphql/',
    'rest/',
  ],
  'serve.ts': [...base, 'auth.ts', 'db/', 'server.ts'],
  'main.ts': [...base, 'compile-cache.ts', 'db/', 'log-lines.ts', 'serve.ts'],
}
const layerOf = (file: string) =>
  Object.keys(layers)
    .filter((layer) => file === layer || (layer.endsWith('/') && file.startsWith(layer)))
    .sort((a, b) => b.length - a.length)[0] ?? file

it.each(files)('%s imports lower layers only', (file) => {
  const layer = layerOf(file)
  const allowed = [...(layers[layer] ?? []), ...(layer.endsWith('/') ? [layer] : [])]
  const targets = (imports.get(file) ?? []).filter((target) => target.endsWith('.ts'))
  expect(
    targets.filter(
      (target) =>
        !allowed.some((lower) => target === lower || (lower.endsWith('/') && target.startsWith(lower))),
    ),
  ).toEqual([])
})

it.each([
  [
    'resolvers do not know the engine',
    /^graphql\/(builder|connection|pet|pet-[a-z]+|schema)\.ts$/,
    /^graphql\/(engine|http|http-graphiql|graphiql|graphiql-tabs|yoga-plugins|limits|trusted-documents)\.ts$/,
  ],
  ['nothing but db speaks SQL', /^(?!db\/)/, /^(drizzle-orm|postgres|@electric-sql)/],
  [
    'nothing but the doors and what holds them knows of HTTP',
    /^(db\/|graphql\/(?!http|yoga|limits|trusted))|^(auth|config|errors|int64|main)\.ts$/,
    /^(fastify|node:http|graphql-yoga|negotiator)$/,
  ],
])('%s', (_, from, to) => expect(offences(from, to)).toEqual([]))

it('there are no cycles', () => {
  const cycles: string[] = []
  const visit = (file: string, path: string[]) => {
    if (path.includes(file)) cycles.push([...path.slice(path.indexOf(file)), file].join(' → '))
    else for (const target of imports.get(file) ?? []) visit(target, [...path, file])
  }
  for (const file of files) visit(file, [])
  expect(cycles).toEqual([])
})

it('there are no barrels', () => {
  expect([...texts].filter(([, text]) => /^export [*{].* from '/m.test(text)).map(([file]) => file)).toEqual(
    [],
  )
})

it('files stay small', () => {
  const long = [...texts].filter(
    ([file, text]) => !file.startsWith('generated/') && text.split('\n').length > 170,
  )
  expect(long.map(([file]) => file)).toEqual([])
})
