/** The styles, scripts and the icon of our own pages: the folder assets, which the build copies beside its bundle. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { registerPublicRoute } from '../http/methods.ts'
import { FAVICON_PATH } from '../http/paths.ts'
import { StaticContent } from '../http/static-content.ts'
import { registerFiles } from './files.ts'

/** A script stands after those that it imports. */
const NAMES = [
  'page.css',
  'home.css',
  'docs.css',
  'graphiql.css',
  'dom.js',
  'key-form.js',
  'graphql.js',
  'home.js',
  'pets.js',
  'docs.js',
  'graphiql.js',
] as const

/** @returns the URL of each file, relative to a page at the top level */
export type Assets = () => Promise<Record<(typeof NAMES)[number], string>>

/** Adds routes for the files and the icon. They are read now, so that they stay those of this program when it is built again. */
export function registerAssets(app: FastifyInstance): Assets {
  const icon = new StaticContent('image/svg+xml', readAsset('favicon.svg'))
  registerPublicRoute(app, FAVICON_PATH, (request, reply) =>
    icon.send(request, reply.header('cache-control', 'public, max-age=86400')),
  )
  const files = Object.fromEntries(NAMES.map((name) => [name, readAsset(name)]))
  return registerFiles(app, '/assets', async () => files as Record<(typeof NAMES)[number], string>)
}

function readAsset(name: string): string {
  return readFileSync(join(import.meta.dirname, 'assets', name), 'utf8')
}
