/** Checks the documentation as far as a program can: links, commands, files, variables, alerts, and examples. */
import { execFile } from 'node:child_process'
import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { promisify } from 'node:util'
import { expect, it, onTestFinished } from 'vitest'
import { readConfig } from '../../src/config/config.ts'
import { createDirectory } from '../support/temporary.ts'
import { endPrograms, startProgram } from '../support/process.ts'

const root = join(import.meta.dirname, '..', '..')
const isSource = (path: string) => !/(^|\/)(node_modules|dist|\.[^/]+)(\/|$)/.test(path)
const documents = findDocuments(root)
const readme = readFileSync(join(root, 'README.md'), 'utf8')

it('documents are found', () => {
  expect(documents.map(({ path }) => path)).toContain('README.md')
})

it.each(documents)('$path: every relative link leads somewhere', ({ path, text }) => {
  const links = withoutCode(text).matchAll(/\]\(([^)\s]+)\)|(?:src|srcset)="([^"]+)"/g)
  const targets = Array.from(links, ([, link, picture]) => link ?? picture ?? '')
  const relativeOnes = targets.filter((target) => !/^[a-z]+:/.test(target))
  expect(relativeOnes.filter((target) => !leadsSomewhere(path, target))).toEqual([])
})

it.each(documents)('$path: every npm script exists', ({ text }) => {
  const named = [...text.matchAll(/npm run (?:--prefix (\S+) )?([\w:-]+)/g)]
  const missing = named.filter(([, folder = '.', script = '']) => !(script in readScripts(folder)))
  expect(missing.map(([command]) => command)).toEqual([])
})

it('docs/README.md lists every guide, and there are none elsewhere', () => {
  const list = readFileSync(join(root, 'docs', 'README.md'), 'utf8')
  const listed = [...list.matchAll(/^- \[([\w/-]+\.md)\]\(\1\): .+$/gm)].map(([, name]) => `docs/${name}`)
  const guides = documents
    .map(({ path }) => path)
    .filter((path) => /^(docs|src|deploy|drizzle|schema)\//.test(path))
  expect(['docs/README.md', ...listed].sort()).toEqual(guides.sort())
})

it('docs/architecture.md names tests that exist', () => {
  const text = readFileSync(join(root, 'docs', 'architecture.md'), 'utf8')
  const named = Array.from(
    text.matchAll(/\btest:\s+`([\w/.-]+)`/g),
    ([, test = '']) => `test/${test}.test.ts`,
  )
  expect(named).not.toEqual([])
  expect(named.filter((path) => !existsSync(join(root, path)))).toEqual([])
})

const files = globSync(['*', '{bench,bin,deploy,docs,drizzle,examples,schema,scripts,src,test}/**/*.*'], {
  cwd: root,
  exclude: (name) => name === 'node_modules' || name === 'dist',
})

it.each(documents)('$path: every source file that it names exists', ({ text }) => {
  const codes = Array.from(text.matchAll(/`([^`\n]+)`/g), ([, code = '']) => code)
  const named = codes.flatMap(
    (code) =>
      code.match(/(?<![\w:/.$*<-])\w[\w./-]*\.(?:ts|js|cjs|mjs|sql|yaml|html|css|graphql)\b(?![\w(*])/g) ??
      [],
  )
  const isFile = (name: string) => files.some((path) => `/${path}`.endsWith(`/${name}`))
  // The name of a package.
  expect(named.filter((name) => name !== 'postgres.js' && !isFile(name))).toEqual([])
})

const guide = readFileSync(join(root, 'docs', 'operations.md'), 'utf8')
const listedIn = (text: string) => [...text.matchAll(/^\| `([A-Z][A-Z_]+)`/gm)].map(([, name]) => name)

it('docs/operations.md lists the variables that the configuration reads, and no others', () => {
  const read = readVariables({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318' })
  // Those of OpenTelemetry are in the text.
  const inText = guide.match(/\bOTEL_[A-Z_]+/g)
  expect(listedIn(guide).sort()).toEqual(read.filter((name) => !name.startsWith('OTEL_')))
  expect(inText).toEqual(expect.arrayContaining(read.filter((name) => name.startsWith('OTEL_'))))
})

it('docs/operations.md lists the alerts, each with how long its condition must hold', () => {
  const rules = readFileSync(join(root, 'deploy', 'prometheus', 'alerts.yml'), 'utf8')
    .split('- alert: ')
    .slice(1)
    .map((rule) => [/^\w+/.exec(rule)?.[0], /^ +for: (\d+)m$/m.exec(rule)?.[1] ?? null])
  const listed = Array.from(guide.matchAll(/^\| `(PetStore\w+)` +\| ([^|]+)\|/gm), ([, name, fires = '']) => [
    name,
    /for (\d+) min *$/.exec(fires)?.[1] ?? null,
  ])
  expect(rules).not.toEqual([])
  expect(listed.sort()).toEqual(rules.sort())
})

it('README.md and .env.example name only variables that the configuration reads', () => {
  const inReadme = Array.from(readme.matchAll(/`([A-Z][A-Z_]+)`/g), ([, name]) => name)
  expect(inReadme).not.toEqual([])
  expect(listedIn(guide)).toEqual(expect.arrayContaining(inReadme))
  const example = readFileSync(join(root, '.env.example'), 'utf8')
  const named = Array.from(example.matchAll(/^# ([A-Z_]+)=/gm), ([, name]) => name)
  expect(named).not.toEqual([])
  expect(listedIn(guide)).toEqual(expect.arrayContaining(named))
})

/** The names of the variables that the configuration reads, in order. */
function readVariables(env: Record<string, string>): string[] {
  const read = new Set<string>()
  readConfig(new Proxy(env, { get: (_, name) => (read.add(String(name)), env[String(name)]) }))
  return [...read].sort()
}

it.each(['README.md', 'docs/rest-clients.md', 'docs/frontends.md'])(
  'the examples in %s print the documented output on a fresh server',
  async (path) => {
    const examples = findExamples(readFileSync(join(root, path), 'utf8'))
    expect(examples).not.toEqual([])
    const directory = createDirectory()
    onTestFinished(async () => {
      await endPrograms()
      directory.remove()
    })
    const env = { DATA_DIR: join(directory.path, 'data') }
    const url = await startProgram(env).ready
    const [readKey = 'false'] = /^KEY=.*$/m.exec(readme) ?? []

    const answers: typeof examples = []
    for (const { commands } of examples) {
      const script = `${readKey}\n${commands}`
        .replaceAll('.data/', `${env.DATA_DIR}/`)
        .replaceAll('http://127.0.0.1:4000', url)
      const { stdout } = await promisify(execFile)('sh', ['-c', script])
      answers.push({ commands, output: stdout.replaceAll('\r', '').trimEnd() })
    }
    expect(answers).toEqual(examples)
  },
)

interface Document {
  /** Relative to the root of the project. */
  path: string
  text: string
}

function findDocuments(folder: string): Document[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const file = join(folder, entry.name)
    const path = relative(root, file)
    if (!isSource(path)) return []
    if (entry.isDirectory()) return findDocuments(file)
    return path.endsWith('.md') ? [{ path, text: readFileSync(file, 'utf8') }] : []
  })
}

const withoutCode = (text: string) => text.replaceAll(/^```.*?^```$/gms, '').replaceAll(/`[^`\n]*`/g, '')

function leadsSomewhere(from: string, target: string): boolean {
  const [path = '', anchor] = target.split('#')
  const file = path === '' ? join(root, from) : join(root, dirname(from), path)
  if (!existsSync(file)) return false
  return anchor === undefined || listAnchors(readFileSync(file, 'utf8')).includes(anchor)
}

/** The anchors of a document's headings, as GitHub generates them. */
function listAnchors(text: string): string[] {
  const seen = new Map<string, number>()
  const withoutBlocks = text.replaceAll(/^```.*?^```$/gms, '')
  return [...withoutBlocks.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => {
    const anchor = heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-')
    const count = seen.get(anchor) ?? 0
    seen.set(anchor, count + 1)
    return count === 0 ? anchor : `${anchor}-${count}`
  })
}

function readScripts(folder: string): Record<string, string> {
  const file = join(root, folder, 'package.json')
  return (JSON.parse(readFileSync(file, 'utf8')) as { scripts: Record<string, string> }).scripts
}

/** Each block of curl commands, with the block that follows it: its output. */
function findExamples(text: string): { commands: string; output: string }[] {
  const blocks = [...text.matchAll(/^```(\w+)\n(.*?)\n```$/gms)].map(([, language, content = '']) => ({
    language,
    content,
  }))
  return blocks.flatMap(({ language, content }, index) =>
    language === 'sh' && content.includes('curl ')
      ? [{ commands: content, output: blocks[index + 1]?.content ?? '' }]
      : [],
  )
}
