import type { FastifyInstance } from 'fastify'
import { CONTRACT_PATH, registerPublicRoute } from '../http/routes.ts'
import { StaticContent } from '../http/static-content.ts'
import { type Assets, registerAssets } from './files.ts'
import { registerDocs } from './docs.ts'
import { type HomeOptions, registerHome } from './home.ts'
import { registerNotFound } from './not-found.ts'

export interface PagesOptions extends Omit<HomeOptions, 'assets'> {
  /** The published contract. */
  contract: { servers: { url: string }[] }
}

/** Adds routes for all pages except GraphiQL, for the published contract, and for unknown paths. @returns the files that GraphiQL's page needs, too */
export function registerPages(app: FastifyInstance, options: PagesOptions): Assets {
  const { contract, ...home } = options
  const { graphiql, secret } = home
  const content = new StaticContent('application/json; charset=utf-8', JSON.stringify(contract))
  registerPublicRoute(app, CONTRACT_PATH, (request, reply) =>
    content.send(request, reply.header('cache-control', 'no-cache')),
  )
  const assets = registerAssets(app)
  registerHome(app, { ...home, assets })
  registerDocs(app, { servers: contract.servers, graphiql, secret, assets })
  registerNotFound(app, { graphiql, assets })
  return assets
}
