/** GraphiQL over HTTP: the page and its files. */
import type { FastifyInstance } from 'fastify'
import { GRAPHQL_PATH } from '../../http/routes.ts'
import type { Assets } from '../../pages/assets.ts'
import { registerFiles } from '../../pages/files.ts'
import { createPage } from '../../pages/page.ts'
import { GRAPHIQL_POLICY, type GraphiqlFiles, renderGraphiqlPage, type Tab } from './page.ts'

export interface GraphiqlOptions {
  /** The API key to fill in for a browser on this machine; null: none. */
  secret: string | null
  /** The tabs on the first visit. */
  samples: readonly Tab[]
  assets: Assets
}

export const GRAPHIQL_FILES = { folder: `${GRAPHQL_PATH}/graphiql`, load: loadFiles }

/** Adds routes for GraphiQL's files. @returns sends the page */
export function registerGraphiql(app: FastifyInstance, { secret, samples, assets }: GraphiqlOptions) {
  const files = registerFiles(app, GRAPHIQL_FILES)
  return createPage({
    policy: GRAPHIQL_POLICY,
    secret,
    render: async (filledIn) =>
      renderGraphiqlPage({
        files: await files(),
        assets: await assets(),
        secret: filledIn,
        samples,
        isDemo: secret !== null,
      }),
  })
}

/** GraphiQL's nine megabytes of script. */
async function loadFiles(): Promise<GraphiqlFiles> {
  const bundle = await import('@graphql-yoga/render-graphiql/graphiql')
  return {
    'graphiql.css': bundle.css,
    'graphiql.js': bundle.js,
    'editorWorkerService.js': bundle.editorWorkerService,
    'json.js': bundle.jsonWorker,
    'graphql.js': bundle.graphqlWorker,
  }
}
