/** Run by build.js: makes the files in a folder that are no code. */
import './runtime.ts'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { replaceFile } from '../build.js'
import { pathInProject } from './base/project-root.ts'
import { ARCHIVE_NAME, archiveNewDatabase } from './db/embedded/new-database.ts'
import { GRAPHIQL_FILES } from './graphql/graphiql.ts'
import { ASSET_FILES, ICON, packFiles } from './pages/files.ts'
import { DOCS_FILES } from './pages/docs.ts'

const [, , directory = pathInProject('dist')] = process.argv

await buildDatabase()
// Beside the bundle, as beside src/pages/files.ts.
const assets = join(directory, 'assets')
mkdirSync(assets, { recursive: true })
replaceFile(join(assets, basename(ICON)), readFileSync(ICON))
const pages = join(directory, 'pages')
mkdirSync(pages, { recursive: true })
await packFiles([ASSET_FILES, DOCS_FILES, GRAPHIQL_FILES], pages)

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
