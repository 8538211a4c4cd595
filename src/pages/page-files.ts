/** The files that pages load: our own, which are in the folder assets, and those of libraries. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { ServiceError } from '../base/service-error.ts'
import { type CompressedContent, hashContent, loadOnce, StaticContent } from '../http/static-content.ts'
import { FAVICON_PATH, registerOtherMethods, registerPublicRoute } from '../http/known-paths.ts'

interface PageFiles {
  /** The path that the files are below, such as /docs. */
  folder: string
  /** Reads the content of each file, by its name, such as page.js. */
  load: () => Promise<Record<string, string>>
}

const ASSETS = join(import.meta.dirname, 'assets')

/** Our own styles and scripts. @param listScript the file of the script for the list on the home page */
export function describeAssets(listScript: string): PageFiles {
  const load = async () => {
    const names = readdirSync(ASSETS).filter((name) => /\.(css|js)$/.test(name))
    const own = names.map((name) => [name, readFileSync(join(ASSETS, name), 'utf8')])
    // It is served beside the modules that it imports.
    const list = readFileSync(listScript, 'utf8').replaceAll(`'../../pages/assets/`, `'./`)
    return Object.fromEntries([...own, [basename(listScript), list]]) as Record<string, string>
  }
  return { folder: '/assets', load }
}

/** Adds routes for our own files and the icon. @param listScript see describeAssets @returns see registerFiles */
export function registerAssets(app: FastifyInstance, listScript: string): () => Promise<string> {
  const icon = new StaticContent('image/svg+xml', readFileSync(join(ASSETS, 'favicon.svg'), 'utf8'))
  registerPublicRoute(app, FAVICON_PATH, (request, reply) =>
    icon.send(request, reply.header('cache-control', 'public, max-age=86400')),
  )
  return registerFiles(app, describeAssets(listScript))
}

/**
 * Adds a route for a page's files, which are public, and immutable because their path contains a hash of all of them. They are loaded
 * when they are first needed.
 * @returns the URL of their folder, relative to a page at the top level, for a proxy that adds a prefix to all paths
 */
export function registerFiles(app: FastifyInstance, { folder, load }: PageFiles): () => Promise<string> {
  const prepare = loadOnce(async () => {
    const contents = new Map<string, StaticContent>()
    const { hash, files }: HashedFiles = (await findPacked(folder)) ?? hashFiles(await load())
    for (const [name, file] of Object.entries(files)) {
      const type = name.endsWith('.css') ? 'text/css' : 'text/javascript'
      contents.set(`${hash}/${name}`, new StaticContent(`${type}; charset=utf-8`, file))
    }
    return { contents, url: `.${folder}/${hash}` }
  })

  const path = `${folder}/:hash/:file`
  app.get<{ Params: { hash: string; file: string } }>(path, async (request, reply) => {
    const { hash, file } = request.params
    const content = (await prepare()).contents.get(`${hash}/${file}`)
    if (content === undefined) throw new ServiceError('NOT_FOUND')
    reply.headers({
      'cache-control': 'public, max-age=31536000, immutable',
      // Workers do not inherit the page's policy.
      'content-security-policy': `default-src 'none'`,
    })
    return content.send(request, reply)
  })
  registerOtherMethods(app, path, ['GET'], [])
  return async () => (await prepare()).url
}

/** Files with a hash of all of them, in whose folder modules can import each other by their plain names. */
interface HashedFiles {
  hash: string
  files: Record<string, string | CompressedContent>
}

/** @param files the text of each by its name */
export function hashFiles(files: Record<string, string>) {
  return { hash: hashContent(Buffer.from(JSON.stringify(files))), files }
}

/** The hash and the names of the files of each folder. */
export type Manifest = Record<string, { hash: string; names: string[] }>

/** Files that the build has compressed are next to the bundle; next to the sources, there are none. */
const PACKED = join(import.meta.dirname, 'pages')
export const MANIFEST = 'manifest.json'

/** The files of a folder as the build has compressed them; null: it has not. */
async function findPacked(folder: string): Promise<HashedFiles | null> {
  const path = join(PACKED, MANIFEST)
  if (!existsSync(path)) return null
  const manifest = JSON.parse(await readFile(path, 'utf8')) as Manifest
  const { hash, names } = manifest[folder] ?? { hash: '', names: [] }
  const pack = (name: string): CompressedContent => ({
    hash,
    read: () => readFile(join(PACKED, hash, `${name}.br`)),
  })
  return { hash, files: Object.fromEntries(names.map((name) => [name, pack(name)])) }
}
