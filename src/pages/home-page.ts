/** The page at /: what this is and where to go, as HTML for browsers and as JSON for other clients. */
import type { FastifyInstance } from 'fastify'
import { ServiceError } from '../base/service-error.ts'
import { acceptedTypes, addVary, JSON_TYPE, PRIVATE } from '../http/headers.ts'
import {
  CONTRACT_PATH,
  DOCS_PATH,
  GRAPHQL_PATH,
  HEALTH_PATH,
  READINESS_PATH,
  REST_PREFIX,
  SDL_PATH,
} from '../http/known-paths.ts'
import { registerPublicRoute } from '../http/methods.ts'
import { type Command, renderCommands } from './home-commands.ts'
import { createPage, type Site } from './page.ts'
import type { OwnSettings } from './settings.ts'

/** What the page shows of a resource. Texts are HTML. */
export interface HomeContent {
  /** What its items are called in a sentence: a plural in lower case. */
  items: string
  /** The same as a title. */
  title: string
  /** The path of the list in the REST API. */
  restPath: string
  /** The list, with its style sheet and the script that fills it in, which gets the key by `startList` (assets/home.js). */
  list: string
  /** What that script reads, besides what each page has. */
  settings: OwnSettings<'home'>
  commands: readonly Command[]
}

export interface HomeOptions {
  content: HomeContent
  /** The address of this server as clients see it, without a slash at the end; empty if it is not configured. */
  origin: string
  /** Whether the page may run its own documents; otherwise it has no list. */
  showsList: boolean
}

export function registerHome(app: FastifyInstance, site: Site, options: HomeOptions): void {
  const { content, origin, showsList } = options
  const { items, title } = content
  const { tabs, panels } = renderCommands(content.commands, origin)
  const places = {
    items,
    'key-title': showsList ? title : 'API key',
    list: showsList ? content.list : '',
    tabs,
    panels,
  }
  const sendPage = createPage('home', site, { places, settings: content.settings })
  const links = describeLinks(origin, content.restPath, site.graphiql)
  const json = Buffer.from(JSON.stringify({ name: 'Pet Store', links }))

  registerPublicRoute(app, '/', async (request, reply) => {
    addVary(reply, 'Accept')
    const [type] = acceptedTypes(request.headers.accept, ['application/json', 'text/html'])
    if (type === undefined) throw new ServiceError('NOT_ACCEPTABLE')
    if (type === 'text/html') return sendPage(request, reply)
    reply.header('cache-control', PRIVATE)
    return reply.type(JSON_TYPE).send(json)
  })
}

function describeLinks(origin: string, restPath: string, graphiql: boolean): Record<string, string> {
  return {
    rest: `${origin}${REST_PREFIX}${restPath}`,
    graphql: `${origin}${GRAPHQL_PATH}`,
    docs: `${origin}${DOCS_PATH}`,
    ...(graphiql && { graphiql: `${origin}${GRAPHQL_PATH}` }),
    contract: `${origin}${CONTRACT_PATH}`,
    sdl: `${origin}${SDL_PATH}`,
    health: `${origin}${HEALTH_PATH}`,
    readiness: `${origin}${READINESS_PATH}`,
  }
}
