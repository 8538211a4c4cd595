/** How a page is sent: with the demo's key, or without any. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { NO_STORE, PRIVATE } from '../http/headers.ts'
import { pageSecurityHeaders } from './content-security-policy.ts'
import { mayHaveDemoKey } from './demo-key.ts'
import { HTML_TYPE, type PageContent, renderPage, type Site } from './render-page.ts'

/**
 * Renders a page, once without a key, and on the demo once with the read-only one.
 * @param policy its content security policy, if not the usual one
 * @returns a handler that sends the page with that key to a browser on this machine; others may keep the page
 */
export function createPageHandler(
  site: Site,
  content: PageContent,
  policy?: string,
): (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply> {
  const securityHeaders = pageSecurityHeaders(policy)
  const withoutKey = Buffer.from(renderPage(site, content, null))
  const withKey = site.readKey === null ? null : Buffer.from(renderPage(site, content, site.readKey))
  return async (request, reply) => {
    // Scripts from other origins must not read the key in the page.
    reply.removeHeader('access-control-allow-origin')
    reply.headers(securityHeaders).type(HTML_TYPE)
    if (withKey !== null && mayHaveDemoKey(request))
      return reply.header('cache-control', NO_STORE).send(withKey)
    return reply.header('cache-control', PRIVATE).send(withoutKey)
  }
}
