/** The styles, scripts and the icon of our own pages: the folder assets. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { FAVICON_PATH, registerPublicRoute } from '../http/routes.ts'
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

type Name = (typeof NAMES)[number]

/** @returns the URL of each file, relative to a page at the top level */
export type Assets = () => Promise<Record<Name, string>>

export const ICON = join(import.meta.dirname, 'assets', 'favicon.svg')

export const ASSET_FILES = {
  folder: '/assets',
  load: () => {
    const files = NAMES.map((name) => [name, readFileSync(join(import.meta.dirname, 'assets', name), 'utf8')])
    return Promise.resolve(Object.fromEntries(files) as Record<Name, string>)
  },
}

/** Adds routes for the files and the icon. */
export function registerAssets(app: FastifyInstance): Assets {
  const icon = new StaticContent('image/svg+xml', readFileSync(ICON, 'utf8'))
  registerPublicRoute(app, FAVICON_PATH, (request, reply) =>
    icon.send(request, reply.header('cache-control', 'public, max-age=86400')),
  )
  return registerFiles(app, ASSET_FILES)
}
