/** The graphql-codegen configuration described in docs/frontends.md. */
import type { CodegenConfig } from '@graphql-codegen/cli'

const plugins = ['typescript-operations', 'typed-document-node']
const types = {
  scalars: { ID: 'string', Int64: 'string' },
  strictScalars: true,
  useTypeImports: true,
}

const config = {
  schema: 'schema/schema.graphql',
  generates: {
    'examples/graphql-clients/generated/graphql.ts': {
      documents: 'examples/graphql-clients/pets.graphql',
      plugins,
      config: types,
    },
    'examples/frontend/src/generated/graphql.ts': {
      documents: 'examples/frontend/src/pets.graphql',
      plugins,
      // Without a client library, parsed documents are not needed, nor graphql-js in the browser.
      config: { ...types, documentMode: 'string' },
    },
  },
} satisfies CodegenConfig

export default config
