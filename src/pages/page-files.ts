/** The files that pages load: our own, which are in the folder assets, and those of libraries. */
import { hash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance } from 'fastify'
import { pathInProject } from '../base/project-root.ts'
import { FAVICON_PATH } from '../http/known-paths.ts'
import { registerOtherMethods, registerPublicRoute } from '../http/methods.ts'

interface PageFiles {
  /** The path that the files are below, such as /docs. */
  folder: string
  /** Reads the content of each file, by its name. */
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
  const icon = readFileSync(join(ASSETS, 'favicon.svg'))
  registerPublicRoute(app, FAVICON_PATH, (_, reply) =>
    reply.type('image/svg+xml').header('cache-control', 'public, max-age=86400').send(icon),
  )
  return registerFiles(app, describeAssets(listScript))
}

/** Lets replies send files, which are public, and immutable because their path contains a hash of all files of the page. */
export function registerFileSending(app: FastifyInstance): void {
  app.register(fastifyStatic, {
    serve: false,
    preCompressed: true,
    acceptRanges: false,
    immutable: true,
    maxAge: '1y',
    // Workers do not inherit the page's policy.
    setHeaders: (reply) => void reply.header('content-security-policy', `default-src 'none'`),
  })
}

/**
 * Adds a route for a page's files, by `registerFileSending`.
 * @returns the URL of their folder, relative to a page at the top level, for a proxy that adds a prefix to all paths
 */
export function registerFiles(app: FastifyInstance, files: PageFiles): () => Promise<string> {
  const path = `${files.folder}/:hash(^[\\w-]{16}$)/:file(^[\\w-]+\\.(?:css|js)$)`
  app.get<{ Params: { hash: string; file: string } }>(path, ({ params: { hash, file } }, reply) =>
    reply.sendFile(`${hash}/${file}`, isBuilt ? BUILT : ON_DEMAND),
  )
  registerOtherMethods(app, path, ['GET'], [])
  return loadOnce(async () => {
    const hash = isBuilt ? (await readManifest())[files.folder] : await packFiles(ON_DEMAND, files)
    return `.${files.folder}/${hash}`
  })
}

/** What the build has packed is next to the bundle. Next to the sources, there is nothing: files are packed when they are first needed. */
const BUILT = join(import.meta.dirname, 'pages')
const ON_DEMAND = pathInProject('node_modules', '.cache', 'pages')

/** The hash of the files of each folder. */
export type Manifest = Record<string, string>
export const MANIFEST = 'manifest.json'
const isBuilt = existsSync(join(BUILT, MANIFEST))

async function readManifest(): Promise<Manifest> {
  return JSON.parse(await readFile(join(BUILT, MANIFEST), 'utf8')) as Manifest
}

/** Not Brotli, which is a sixth smaller, but which browsers accept only over TLS: one more copy of each file. */
const compress = promisify<Buffer, Buffer>(gzip)

/**
 * Writes files, and compressed next to each, into a folder with the name of their hash, in which modules can import each other by their
 * plain names. A folder that is there already stays, since a running server may use it.
 * @returns the hash
 */
export async function packFiles(directory: string, { load }: PageFiles): Promise<string> {
  const files = Object.entries(await load())
  const digest = hash('sha256', JSON.stringify(files), 'base64url').slice(0, 16)
  const folder = join(directory, digest)
  if (existsSync(folder)) return digest
  const draft = `${folder}.${process.pid}`
  await mkdir(draft, { recursive: true })
  for (const [name, text] of files) {
    const bytes = Buffer.from(text)
    await writeFile(join(draft, name), bytes)
    await writeFile(join(draft, `${name}.gz`), await compress(bytes))
  }
  // Another process may have made the same one.
  await rename(draft, folder).catch(() => rm(draft, { recursive: true }))
  return digest
}

/** @returns a function that loads a value on its first call, and again only if that failed */
export function loadOnce<Value>(load: () => Promise<Value>): () => Promise<Value> {
  let loading: Promise<Value> | undefined
  return () => {
    if (loading) return loading
    loading = load()
    loading.catch(() => (loading = undefined))
    return loading
  }
}
