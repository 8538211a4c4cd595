/** The contract as a page for people, by Swagger UI; everything that it loads comes from this server. */
import swagger, { type StaticDocumentSpec } from '@fastify/swagger'
import swaggerUi from '@fastify/swagger-ui'
import type { FastifyInstance } from 'fastify'
import { answerOtherMethods } from './http.ts'
import { DOCS_PATH } from './paths.ts'

/**
 * @param document the contract, as it is published
 * @param servers its server addresses, which requests that are tried out go to
 */
export async function addDocsPage(app: FastifyInstance, document: object, servers: string[]): Promise<void> {
  const origins = servers.flatMap((server) => URL.parse(server)?.origin ?? [])
  await app.register(swagger, {
    mode: 'static',
    // The plugin's types end at OpenAPI 3.0; the page does not.
    specification: { document: document as StaticDocumentSpec['document'] },
  })
  await app.register(swaggerUi, {
    routePrefix: DOCS_PATH,
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
  answerOtherMethods(app, DOCS_PATH, ['GET'], [])
}
