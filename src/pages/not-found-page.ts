/** 404 for an unknown path: a page with links for a browser, the Error body for other clients and everywhere in the APIs. */
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { ServiceError } from '../base/service-error.ts'
import { applyError } from '../http/error-body.ts'
import { addVary, wantsPage } from '../http/headers.ts'
import { GRAPHQL_PATH, REST_PREFIX } from '../http/known-paths.ts'
import { pageSecurityHeaders } from './content-security-policy.ts'
import type { HomeContent } from './home-page.ts'
import { HTML_TYPE, renderNotFound, type Site } from './render-page.ts'

/** The deepest path with a page, since the links of a page grow with its depth. */
const MAX_DEPTH = 20

interface NotFoundOptions {
  /** Of the home page, which the page leads to. */
  content: Pick<HomeContent, 'list' | 'commands'>
  /** Those of the contract, without /v1, which clients may forget. */
  restPaths: readonly string[]
}

export function registerNotFound(app: FastifyInstance, site: Site, options: NotFoundOptions): void {
  const { content, restPaths } = options
  const values = { home: content.list?.title ?? 'Home page', 'home-content': describeHome(content) }
  const render = (depth: number) => Buffer.from(renderNotFound(site, values, '../'.repeat(depth)))
  /** By the depth of the path: the first at once, for its faults to show at the start, and the others when they are asked for. */
  const pages: Buffer[] = [render(0)]
  app.setNotFoundHandler(async (request, reply) => {
    const meant = restPaths.find((path) => `${pathOf(request)}/`.startsWith(`${path}/`))
    const hint =
      meant && `Not found. The paths of the REST API begin with ${REST_PREFIX}: ${REST_PREFIX}${meant}.`
    const error = new ServiceError('NOT_FOUND', hint)
    addVary(reply, 'Accept')
    const depth = depthOf(request)
    if (depth > MAX_DEPTH || !wantsPage(request) || isInApi(request)) throw error
    const page = (pages[depth] ??= render(depth))
    applyError(error, request, reply)
    return reply.headers(pageSecurityHeaders()).type(HTML_TYPE).send(page)
  })
}

const API_NAMES = { rest: 'the REST API', graphql: 'the GraphQL API' }

/** What is at the home page, in words. */
function describeHome({ list, commands }: NotFoundOptions['content']): string {
  const [api, other] = (['rest', 'graphql'] as const).filter((name) =>
    commands.some(({ target }) => target === name),
  )
  const parts = [
    list && 'what is in the store now',
    api && `commands to try ${other ? 'both APIs' : API_NAMES[api]}`,
  ]
  return parts.filter(Boolean).join(', and ')
}

/** Whether the path is the base address of an API, or below it. */
function isInApi(request: FastifyRequest): boolean {
  return [REST_PREFIX, GRAPHQL_PATH].some((base) => `${pathOf(request)}/`.startsWith(`${base}/`))
}

/** The number of folders in the path, as a browser counts them. */
function depthOf(request: FastifyRequest): number {
  return pathOf(request).split('/').length - 2
}

function pathOf({ url }: FastifyRequest): string {
  // In absolute form, the target also has a scheme and a host, and may have no path (RFC 9112, 3.2.2).
  const [path] = url.replace(/^[a-z]+:\/\/[^/?#]*/i, '').split(/[?#]/, 1)
  return path || '/'
}
