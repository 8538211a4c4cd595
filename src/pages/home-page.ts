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
import { createPageHandler } from './page-handler.ts'
import type { PageContent, Site } from './render-page.ts'
import type { Html } from './template.ts'

/** What the page shows of a resource. */
export interface HomeContent {
  /** What its items are called in a sentence: a plural in lower case. */
  items: string
  /** The path of the list in the REST API. */
  restPath: string
  /** null: the page has none. */
  list: HomeList | null
  commands: readonly Command[]
}

interface HomeList {
  /** The heading of the form that asks for a key in place of the list, and the text of links to the page. The list has its own heading. */
  title: string
  /** The list, with its style sheet and the script that fills it in, which gets the key by `onKey` (assets/home/home.js). */
  html: Html
}

/** What is left where only trusted documents run: the list, and commands for the GraphQL API, send documents of their own. */
export function withoutDocuments(content: HomeContent): HomeContent {
  const commands = content.commands.filter(({ target }) => target !== 'graphql')
  return { ...content, list: null, commands }
}

export interface HomeOptions {
  content: HomeContent
  /** The address of this server as clients see it, without a slash at the end; empty if it is not configured. */
  origin: string
}

export function describeHomePage({ content, origin }: HomeOptions): PageContent {
  const { items, list, commands } = content
  const keyTitle = list?.title ?? 'API key'
  return {
    settings: { page: 'home' },
    values: { items, 'key-title': keyTitle, list: list?.html ?? null, ...renderCommands(commands, origin) },
  }
}

export function registerHome(app: FastifyInstance, site: Site, options: HomeOptions): void {
  const { content, origin } = options
  const sendPage = createPageHandler(site, describeHomePage(options))
  const links = describeLinks(origin, content.restPath, site.graphiql)
  const json = Buffer.from(JSON.stringify({ name: 'Pet Store', links }))

  registerPublicRoute(app, '/', async (request, reply) => {
    addVary(reply, 'Accept')
    const [type] = acceptedTypes(request.headers.accept, ['application/json', 'text/html'])
    if (type === undefined)
      throw new ServiceError(
        'NOT_ACCEPTABLE',
        'Only application/json and text/html are available, and the Accept header excludes both.',
      )
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
