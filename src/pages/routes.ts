import type { FastifyInstance } from 'fastify'
import { registerPublicRoute } from '../http/methods.ts'
import { CONTRACT_PATH } from '../http/paths.ts'
import { StaticContent } from '../http/static-content.ts'
import { registerDocs } from './docs.ts'
import { type HomeOptions, registerHome } from './home.ts'
import { registerNotFound } from './not-found.ts'

export interface PagesOptions extends HomeOptions {
  /** The published contract. */
  contract: { servers: { url: string }[] }
}

/** Adds routes for all pages except GraphiQL, for the published contract, and for unknown paths. @returns the URL of the style that all pages share */
export function registerPages(app: FastifyInstance, options: PagesOptions): () => Promise<string> {
  const { contract, origin, graphiql, secret } = options
  const content = new StaticContent('application/json; charset=utf-8', JSON.stringify(contract))
  registerPublicRoute(app, CONTRACT_PATH, (request, reply) =>
    content.send(request, reply.header('cache-control', 'no-cache')),
  )
  const pageStyle = registerHome(app, { origin, graphiql, secret })
  registerDocs(app, { servers: contract.servers, graphiql, secret, pageStyle })
  registerNotFound(app, { graphiql, pageStyle })
  return pageStyle
}
