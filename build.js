/**
 * Bundles src into dist, which is what runs: the bundle starts in half the time, and takes less memory. Plain JavaScript, because it is
 * part of every start, and loading TypeScript would take longer than all of it.
 */
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join, relative } from 'node:path'
import process from 'node:process'

const root = import.meta.dirname
const outputs = join(root, 'dist')
/** Holds the digest of the sources that the bundle was made of. */
const stamp = join(outputs, 'sources.sha256')

/** Builds the bundle unless it is up to date. An installation without sources keeps the one that it has. */
export async function ensureBuilt() {
  if (!existsSync(join(root, 'src'))) return
  const digest = digestSources()
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === digest) return
  await bundle(digest)
}

/** By content, since neither git nor an archive can be relied on for times. */
function digestSources() {
  const digest = createHash('sha256')
  const sources = readdirSync(join(root, 'src'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
  for (const file of [...sources.sort(), join(root, 'package-lock.json'), import.meta.filename]) {
    digest
      .update(`${relative(root, file)}\0`)
      .update(readFileSync(file))
      .update('\0')
  }
  return digest.digest('hex')
}

/**
 * A server that is running may still load chunks of its own bundle, so those stay, and what starts next is replaced at once.
 * @param {string} digest
 */
async function bundle(digest) {
  const { build } = await import('esbuild')
  const { outputFiles } = await build({
    entryPoints: {
      main: join(root, 'src/main.ts'),
      // All outputs lie in one folder, where embedded-postgres.ts expects its worker.
      worker: join(root, 'src/db/embedded/worker.ts'),
    },
    outdir: outputs,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node24',
    legalComments: 'linked',
    sourcemap: 'linked',
    minifyWhitespace: true,
    minifySyntax: true,
    // What reads files of its own, or is loaded as a file.
    external: [
      '@electric-sql/*',
      '@fastify/swagger',
      '@fastify/swagger-ui',
      '@graphql-yoga/render-graphiql',
      'fs-native-extensions',
    ],
    // Some packages are CommonJS, and require Node's modules.
    banner: {
      js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
    },
    write: false,
    logLevel: 'error',
  })
  mkdirSync(outputs, { recursive: true })
  for (const { path, contents } of outputFiles) replaceFile(path, contents)
  replaceFile(stamp, digest)
}

/**
 * @param {string} path
 * @param {string | Uint8Array} contents
 */
function replaceFile(path, contents) {
  const draft = join(outputs, `.${basename(path)}.${process.pid}`)
  writeFileSync(draft, contents)
  renameSync(draft, path)
}

if (import.meta.main) {
  rmSync(outputs, { recursive: true, force: true })
  await bundle(digestSources())
}
