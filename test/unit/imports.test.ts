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

it.each([
  ['errors, config, int64 and paths import nothing of ours', /^(errors|config|int64|paths)\.ts$/, /\.ts$/],
  ['db imports neither door', /^db\//, /^(rest|graphql)\/|^(http|server|serve|main)\.ts$/],
  ['graphql imports nothing of rest', /^graphql\//, /^rest\/|^(server|serve|main)\.ts$/],
  ['rest never imports db', /^rest\//, /^db\/|^(server|serve|main)\.ts$/],
  ['nothing but db speaks SQL', /^(?!db\/)/, /^(drizzle-orm|postgres|@electric-sql)/],
  [
    'nothing but the doors and what holds them knows of HTTP',
    /^(db\/|graphql\/(?!http|yoga))|^(auth|config|errors|int64|main)\.ts$/,
    /^(fastify|node:http|graphql-yoga|accepts)$/,
  ],
  ['what is generated is imported by rest only', /^(?!rest\/)/, /^generated\//],
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
    ([file, text]) => !file.startsWith('generated/') && text.split('\n').length > 160,
  )
  expect(long.map(([file]) => file)).toEqual([])
})
