/** How a page is sent: with the demo's key, or without any. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { NO_STORE, PRIVATE } from '../http/headers.ts'
import { pageSecurityHeaders } from './content-security-policy.ts'
import { mayHaveDemoKey } from './demo-key.ts'
import { HTML, renderPage, type Site } from './render-page.ts'
import type { PageName, PageSettings, SettingsByPage } from './settings.ts'
import type { TemplateValues } from './template.ts'

interface PageOptions<Page extends PageName> {
  page: Page
  /** What its HTML has places for, besides what all pages share. */
  places: TemplateValues
  /** What its script reads, besides what each page has. */
  settings: SettingsByPage[Page]
  /** Its content security policy. */
  policy?: string
}

/**
 * Renders a page, once without a key, and on the demo once with the read-only one.
 * @returns a handler that sends the page with that key to a browser on this machine; others may keep the page
 */
export function createPageHandler<Page extends PageName>(
  site: Site,
  { page, places, settings, policy }: PageOptions<Page>,
): (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply> {
  const { readKey } = site
  const securityHeaders = pageSecurityHeaders(policy)
  const render = (key: string | null) => {
    const withKey = { ...settings, key } satisfies PageSettings<Page>
    return Buffer.from(renderPage(site, { page, places, settings: withKey }))
  }
  const shared = render(null)
  const withKey = readKey === null ? null : render(readKey)
  return async (request, reply) => {
    // Scripts from other origins must not read the key in the page.
    reply.removeHeader('access-control-allow-origin')
    reply.headers(securityHeaders).type(HTML)
    if (withKey !== null && mayHaveDemoKey(request))
      return reply.header('cache-control', NO_STORE).send(withKey)
    return reply.header('cache-control', PRIVATE).send(shared)
  }
}
