/** The contract as a page for people, using Swagger UI. It loads everything from this server. */
import swagger, { type StaticDocumentSpec } from '@fastify/swagger'
import swaggerUi from '@fastify/swagger-ui'
import type { FastifyInstance } from 'fastify'
import { registerOtherMethods } from '../http/methods.ts'
import { DOCS_PATH } from '../http/paths.ts'

/** @param document the published contract; requests tried on the page go to its servers */
export async function registerDocsPage(
  app: FastifyInstance,
  document: { servers: { url: string }[] },
): Promise<void> {
  const origins = document.servers.flatMap(({ url }) => URL.parse(url)?.origin ?? [])
  await app.register(swagger, {
    mode: 'static',
    // The plugin's types only cover OpenAPI 3.0, but the page supports 3.1.
    specification: { document: document as StaticDocumentSpec['document'] },
  })
  await app.register(swaggerUi, {
    routePrefix: DOCS_PATH,
    // Relative addresses also work behind a proxy that adds a prefix to all paths.
    indexPrefix: '.',
    staticCSP: [
      `default-src 'self'`,
      `connect-src 'self' ${origins.join(' ')}`,
      `img-src 'self' data:`,
      `style-src 'self' 'unsafe-inline'`,
      `object-src 'none'`,
      `base-uri 'none'`,
      `frame-ancestors 'none'`,
    ].join('; '),
    uiConfig: { deepLinking: true, tryItOutEnabled: true, displayRequestDuration: true, validatorUrl: null },
    theme: {
      title: 'Pet Store: REST',
      css: [{ filename: 'page.css', content: '.topbar { display: none }' }],
    },
  })
  registerOtherMethods(app, DOCS_PATH, ['GET'], [])
}
