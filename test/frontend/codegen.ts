/** What the README tells frontend teams to give to graphql-codegen. */
import type { CodegenConfig } from '@graphql-codegen/cli'

const config: CodegenConfig = {
  schema: 'schema/schema.graphql',
  generates: {
    'test/frontend/generated/graphql.ts': {
      documents: 'test/frontend/pets.graphql',
      plugins: ['typescript-operations', 'typed-document-node'],
      config: {
        scalars: { ID: 'string', Int64: 'string' },
        strictScalars: true,
        useTypeImports: true,
      },
    },
  },
}

export default config
