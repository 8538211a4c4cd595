/**
 * Builds dist from src, and the check of the contract from test/conformance: a bundle, because it starts faster and takes less memory, the files of the pages, and
 * a new embedded database. Plain JavaScript, because this runs on every start, and loading TypeScript would take longer than the rest.
 */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import process from 'node:process'

const root = import.meta.dirname
const outputs = join(root, 'dist')
/** Contains the digest of the sources that the bundle was built from. */
const stamp = join(outputs, 'sources.sha256')

/** Packages that read their own files, or are loaded as files. */
export const NOT_BUNDLED = ['@electric-sql/*', 'fs-native-extensions']

/** Builds the bundle unless it is up to date. An installation without sources keeps its bundle. */
export async function ensureBuilt() {
  if (!existsSync(join(root, 'src'))) return
  const digest = digestSources()
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === digest) return
  process.stderr.write('Building dist, which may take half a minute…\n')
  await bundle(digest)
}

/** By content, since git and archives do not preserve modification times reliably. */
function digestSources() {
  const digest = createHash('sha256')
  const sources = ['src', 'test/conformance']
    .flatMap((folder) => readdirSync(join(root, folder), { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile() && !entry.name.endsWith('.test.ts'))
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
 * Each file is replaced atomically, after those that it leads to, so that a server that starts meanwhile finds a whole build, the old one
 * or the new one. What is left of other builds is removed at the end: a server loads all that it needs when it starts.
 * @param {string} digest
 */
async function bundle(digest) {
  const { build } = await import('esbuild')
  const { outputFiles } = await build({
    entryPoints: {
      main: join(root, 'src/main.ts'),
      // All outputs go into one folder, where embedded-postgres.ts expects its worker.
      worker: join(root, 'src/db/embedded/worker.ts'),
      // The package's second command, petstore-verify.
      verify: join(root, 'test/conformance/verify.ts'),
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
    external: NOT_BUNDLED,
    // Some packages are CommonJS and require Node's modules.
    banner: {
      js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
    },
    write: false,
    logLevel: 'error',
  })
  mkdirSync(outputs, { recursive: true })
  // In a process of its own: it takes much memory, some of which would stay with the server that a start becomes.
  execFileSync(process.execPath, [join(root, 'src', 'build-files.ts'), outputs])
  // The names of all other files contain a hash of what is in them.
  const isEntry = (/** @type {string} */ path) => /^(main|worker|verify)\./.test(basename(path))
  for (const entries of [false, true])
    for (const { path, contents } of outputFiles) if (isEntry(path) === entries) replaceFile(path, contents)
  replaceFile(stamp, digest)
  const built = outputFiles.map(({ path }) => basename(path))
  for (const name of readdirSync(outputs))
    if (/\.(js|map|txt)$/.test(name) && !built.includes(name)) rmSync(join(outputs, name))
}

/**
 * Replaces a file atomically, so that no process reads half of it.
 * @param {string} path
 * @param {string | Uint8Array} contents
 */
export function replaceFile(path, contents) {
  const draft = join(dirname(path), `.${basename(path)}.${process.pid}`)
  writeFileSync(draft, contents)
  renameSync(draft, path)
}

if (import.meta.main) await bundle(digestSources())
