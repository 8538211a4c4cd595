/** The graphql-codegen configuration described in ../README.md. */
import type { CodegenConfig } from '@graphql-codegen/cli'

const config: CodegenConfig = {
  schema: 'schema/schema.graphql',
  generates: {
    'examples/graphql-clients/generated/graphql.ts': {
      documents: 'examples/graphql-clients/pets.graphql',
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
