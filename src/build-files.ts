/** Run by build.js: makes the files in a folder that are no code of the server. */
import './runtime.ts'
import { createHash } from 'node:crypto'
import { existsSync, globSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { basename, dirname, join, normalize, sep } from 'node:path'
import { gzipSync } from 'node:zlib'
import Fastify from 'fastify'
import { replaceFile } from '../build.js'
import { pathInProject } from './base/project-root.ts'
import { ARCHIVE_NAME, archiveNewDatabase } from './db/embedded/new-database.ts'
import { LIBRARIES } from './pages/page-files.ts'

const [, , directory = pathInProject('dist')] = process.argv
const sources = pathInProject('src')
/** Paths in the directory. */
const written: string[] = []

await buildDatabase()
// What is read as it is; beside the bundle, as beside the sources.
for (const file of globSync('*/{html/*.html,samples/*.graphql}', { cwd: sources }))
  write(join(basename(dirname(file)), basename(file)), readFileSync(join(sources, file)))
await buildPageFiles()
removeOthers()

/** Only if PGlite or the way to make it has changed: it takes long. */
async function buildDatabase(): Promise<void> {
  const archive = join(directory, ARCHIVE_NAME)
  const stamp = `${archive}.sha256`
  const digest = createHash('sha256')
  for (const file of ['node_modules/@electric-sql/pglite/package.json', 'src/db/embedded/new-database.ts'])
    digest.update(readFileSync(pathInProject(file)))
  const expected = digest.digest('hex')
  if (existsSync(archive) && existsSync(stamp) && readFileSync(stamp, 'utf8') === expected) return
  replaceFile(archive, await archiveNewDatabase())
  replaceFile(stamp, expected)
}

/** What page-files.ts serves. */
async function buildPageFiles(): Promise<void> {
  for (const file of globSync('*/assets/**/*.{css,js,svg}', { cwd: sources }))
    writePageFile(file, readFileSync(join(sources, file)))
  writePageFile(`${LIBRARIES.scalar}/scalar.js`, await loadScalar())
  const graphiql = await import('@graphql-yoga/render-graphiql/graphiql')
  // The workers have the names that Monaco, the editor, uses.
  const files = {
    'graphiql.css': graphiql.css,
    'graphiql.js': graphiql.js,
    'editorWorkerService.js': graphiql.editorWorkerService,
    'json.js': graphiql.jsonWorker,
    'graphql.js': graphiql.graphqlWorker,
  }
  for (const [name, text] of Object.entries(files)) writePageFile(`${LIBRARIES.graphiql}/${name}`, text)
}

/** Scalar's script. Its Fastify plugin can only serve it, so it is requested from a server that never listens. */
async function loadScalar(): Promise<string> {
  const { default: scalar } = await import('@scalar/fastify-api-reference')
  const app = Fastify()
  await app.register(scalar, { routePrefix: '/scalar', configuration: { url: '/' } })
  const { statusCode, body } = await app.inject('/scalar/js/scalar.js')
  await app.close()
  if (statusCode !== 200) throw new Error(`Scalar's script cannot be read: ${statusCode}`)
  return body
}

/** Writes a file and its compressed copy. Not by Brotli: browsers accept it only over TLS, so it would be one more copy. */
function writePageFile(path: string, content: string | Buffer): void {
  write(join('files', path), content)
  write(join('files', `${path}.gz`), gzipSync(content))
}

/** Removes from the folders what earlier builds have left there. */
function removeOthers(): void {
  for (const path of globSync('*/**', { cwd: directory }))
    if (!written.some((file) => file === path || file.startsWith(path + sep)))
      rmSync(join(directory, path), { recursive: true, force: true })
}

/** @throws Error if this build has written a file there: `html` and `samples` hold those of several folders */
function write(path: string, content: string | Buffer): void {
  const normalized = normalize(path)
  if (written.includes(normalized)) throw new Error(`Two files have the path ${normalized}`)
  written.push(normalized)
  const file = join(directory, normalized)
  mkdirSync(dirname(file), { recursive: true })
  replaceFile(file, content)
}
