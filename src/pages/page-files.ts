/**
 * The files that pages load, below /files. Paths there are as in src, so the relative paths of imports lead to the same files.
 * The folder assets has a folder for each page, `key` for the form that asks for an API key, and `shared` for what several of them use.
 */
import { existsSync } from 'node:fs'
import { join, posix } from 'node:path'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance } from 'fastify'
import manifest from '../../package.json' with { type: 'json' }
import { pathInProject } from '../base/project-root.ts'
import { FAVICON_PATH } from '../http/known-paths.ts'
import { registerPublicRoute } from '../http/methods.ts'
import { FILE_POLICY } from './content-security-policy.ts'

const { dependencies } = manifest

/** The folders of the libraries' files. Their names contain the version, so that browsers may keep the files. */
export const LIBRARIES = {
  scalar: `libraries/scalar-${dependencies['@scalar/fastify-api-reference']}`,
  graphiql: `libraries/graphiql-${dependencies['@graphql-yoga/render-graphiql']}`,
}

/** Where the build puts all files, next to the bundle, each with a compressed copy. */
const BUILT = join(import.meta.dirname, 'files')
/** A server that runs from the sources serves our own files from the sources, so that a change is seen at once. */
const ROOTS = existsSync(BUILT) ? [BUILT] : [join(import.meta.dirname, '..'), pathInProject('dist', 'files')]

/** A style sheet or a script. */
const FILE = ':file(^[\\w-]+\\.css$|^[\\w-]+\\.js$)'

/** Adds routes for the icon, for our own files, which browsers ask for again each time (304), and for those of libraries. */
export function registerFiles(app: FastifyInstance): void {
  app.register(fastifyStatic, {
    root: ROOTS,
    serve: false,
    preCompressed: true,
    acceptRanges: false,
    // All files of a package may have the same modification time.
    lastModified: false,
    setHeaders: (reply) => void reply.header('content-security-policy', FILE_POLICY),
  })
  registerPublicRoute(app, FAVICON_PATH, (_, reply) =>
    reply.sendFile('pages/assets/shared/favicon.svg', { maxAge: '1d' }),
  )
  for (const path of [`assets/${FILE}`, `assets/:part(^[\\w-]+$)/${FILE}`])
    registerPublicRoute(app, `/files/:folder(^[\\w-]+$)/${path}`, ({ params }, reply) => {
      const { folder, part = '', file } = params as { folder: string; part?: string; file: string }
      return reply.sendFile(posix.join(folder, 'assets', part, file))
    })
  registerPublicRoute(app, `/files/libraries/:library(^\\w[\\w.-]*$)/${FILE}`, ({ params }, reply) => {
    const { library, file } = params as { library: string; file: string }
    return reply.sendFile(`libraries/${library}/${file}`, { maxAge: '1y', immutable: true })
  })
}
