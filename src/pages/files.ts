/** The files that pages load: scripts and styles. */
import { existsSync } from 'node:fs'
import { readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { ServiceError } from '../base/errors.ts'
import { compressBrotli, hashContent, loadOnce, StaticContent } from '../http/static-content.ts'
import { registerOtherMethods } from '../http/routes.ts'

/** The file name in the path of an import. */
const IMPORT = /(?<=^import \{[^}]*\} from '\.\/)([\w-]+\.js)(?=')/gm

const TYPES = { css: 'text/css; charset=utf-8', js: 'text/javascript; charset=utf-8' }

type FileName = `${string}.${keyof typeof TYPES}`

export interface PageFiles<Name extends FileName = FileName> {
  /** The path that the files are below, such as /docs. */
  folder: string
  /** Reads the content of each file, by its name, such as page.js; a module imports only files before it. */
  load: () => Promise<Record<Name, string>>
}

/** The hash of each file by its name, for each folder. */
type Manifest = Record<string, Record<string, string>>

/** Files that the build has compressed are next to the bundle; next to the sources, there are none. */
const PACKED = join(import.meta.dirname, 'pages')
const MANIFEST = 'manifest.json'

/**
 * Adds a route for a page's files, which are public, and immutable because each name contains a hash of the content. They are loaded
 * when they are first needed.
 * @returns the URL of each file, relative to a page at the top level, so that it also works behind a proxy that adds a prefix to all
 *   paths
 */
export function registerFiles<Name extends FileName>(
  app: FastifyInstance,
  { folder, load }: PageFiles<Name>,
): () => Promise<Record<Name, string>> {
  const prepare = loadOnce(async () =>
    prepareFiles(folder, (await findPacked(folder)) ?? toContents(linkModules(await load()))),
  )

  app.get<{ Params: { file: string } }>(`${folder}/:file`, async (request, reply) => {
    const content = (await prepare()).contents.get(request.params.file)
    if (content === undefined) throw new ServiceError('NOT_FOUND')
    reply.headers({
      'cache-control': 'public, max-age=31536000, immutable',
      // Workers do not inherit the page's policy.
      'content-security-policy': `default-src 'none'`,
    })
    return content.send(request, reply)
  })
  registerOtherMethods(app, `${folder}/:file`, ['GET'], [])
  return async () => (await prepare()).urls
}

/** The files of a folder as the build has compressed them; null: it has not. */
async function findPacked(folder: string): Promise<Map<string, StaticContent> | null> {
  const path = join(PACKED, MANIFEST)
  if (!existsSync(path)) return null
  const manifest = JSON.parse(await readFile(path, 'utf8')) as Manifest
  const files = Object.entries(manifest[folder] ?? {})
  return new Map(
    files.map(([name, hash]) => {
      const read = () => readFile(join(PACKED, `${hash}.br`))
      return [name, new StaticContent(typeOf(name), { hash, read })]
    }),
  )
}

/** @returns the files, in which modules import each other by names with a hash */
function linkModules(files: Record<string, string>): Record<string, string> {
  const hashedNames = new Map<string, string>()
  const linked = Object.entries(files).map(([name, text]) => {
    const content = text.replace(IMPORT, (file: string) => hashedNames.get(file) ?? file)
    hashedNames.set(name, toHashedName(name, hashContent(Buffer.from(content))))
    return [name, content]
  })
  return Object.fromEntries(linked) as Record<string, string>
}

function toHashedName(name: string, hash: string): string {
  return name.replace('.', `-${hash}.`)
}

function toContents(files: Record<string, string>): Map<string, StaticContent> {
  return new Map(Object.entries(files).map(([name, text]) => [name, new StaticContent(typeOf(name), text)]))
}

function typeOf(name: string): string {
  return name.endsWith('.css') ? TYPES.css : TYPES.js
}

function prepareFiles(folder: string, files: Map<string, StaticContent>) {
  const contents = new Map<string, StaticContent>()
  const urls: Record<string, string> = {}
  for (const [file, content] of files) {
    const hashed = toHashedName(file, content.hash)
    contents.set(hashed, content)
    urls[file] = `.${folder}/${hashed}`
  }
  return { contents, urls }
}

/** Compresses files for a bundle. Those that are already in the directory stay, since a running server may use them. */
export async function packFiles(sets: readonly PageFiles[], directory: string): Promise<void> {
  const manifest: Manifest = {}
  for (const { folder, load } of sets) {
    const hashes: Record<string, string> = {}
    for (const [name, text] of Object.entries(linkModules(await load()))) {
      const content = Buffer.from(text)
      const hash = hashContent(content)
      hashes[name] = hash
      const path = join(directory, `${hash}.br`)
      if (!existsSync(path)) await replaceFile(path, await compressBrotli(content, 9))
    }
    manifest[folder] = hashes
  }
  await replaceFile(join(directory, MANIFEST), JSON.stringify(manifest))
}

async function replaceFile(path: string, content: Buffer | string): Promise<void> {
  const draft = `${path}.${process.pid}`
  await writeFile(draft, content)
  await rename(draft, path)
}
