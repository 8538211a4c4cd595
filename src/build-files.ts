/** Run by build.js: makes the files in a folder that are no code. */
import './runtime.ts'
import { createHash } from 'node:crypto'
import { existsSync, globSync, mkdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { replaceFile } from '../build.js'
import { pathInProject } from './base/project-root.ts'
import { ARCHIVE_NAME, archiveNewDatabase } from './db/embedded/new-database.ts'
import { GRAPHIQL_FILES } from './graphql/graphiql-page.ts'
import { DOCS_FILES } from './pages/docs-page.ts'
import { describeAssets, type Manifest, MANIFEST, packFiles } from './pages/page-files.ts'

const [, , directory = pathInProject('dist')] = process.argv

await buildDatabase()
// What is read as it is; beside the bundle, as beside the sources.
for (const file of globSync('src/*/{assets/*.svg,html/*.html,samples/*.graphql}', {
  cwd: pathInProject('.'),
})) {
  const folder = join(directory, basename(dirname(file)))
  mkdirSync(folder, { recursive: true })
  replaceFile(join(folder, basename(file)), readFileSync(pathInProject(file)))
}
await packPages(join(directory, 'pages'))

/** Only if PGlite or the way to make it has changed: it takes several seconds. */
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

async function packPages(pages: string): Promise<void> {
  mkdirSync(pages, { recursive: true })
  // Only now: what it loads would add to the memory that a new database takes.
  const { homeContent } = await import('./server/resources.ts')
  const manifest: Manifest = {}
  for (const files of [describeAssets(homeContent.script), DOCS_FILES, GRAPHIQL_FILES])
    manifest[files.folder] = await packFiles(pages, files)
  replaceFile(join(pages, MANIFEST), JSON.stringify(manifest))
}
