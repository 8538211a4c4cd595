#!/usr/bin/env bash
# graphql-js 17 keeps the default of an argument in `default`; the `defaultValue` of version 16 is still in its types, but only set if code
# has set it. In a schema from SDL, or from introspection, it is undefined, so what reads it finds no default, and no error says so.
# graphql-jit reads both, but of `default` only values, not the literals that SDL has. One would expect the resolver to receive 5; compiled,
# it receives nothing.
# Here: the schema is built in code, and test/unit/server/schema.test.ts allows no default that is a literal.
set -euo pipefail
directory=$(mktemp --directory)
trap 'rm -rf "$directory"' EXIT
cd "$directory"
npm init --yes >npm.log
npm install --no-audit --no-fund graphql@17.1.0 graphql-jit@0.8.9 >>npm.log

cat >show.mjs <<'END'
import { buildSchema, execute, GraphQLInt, GraphQLObjectType, GraphQLSchema, GraphQLString, parse, version } from 'graphql'
import { compileQuery } from 'graphql-jit'

console.log(`graphql ${version}`)
const resolve = (_, args) => JSON.stringify(args)
const field = { type: GraphQLString, args: { size: { type: GraphQLInt, defaultValue: 5 } }, resolve }
const inCode = new GraphQLSchema({ query: new GraphQLObjectType({ name: 'Query', fields: { list: field } }) })
const inSdl = buildSchema('type Query { list(size: Int = 5): String }')
inSdl.getQueryType().getFields().list.resolve = resolve
const document = parse('{ list }')
for (const [title, schema] of Object.entries({ inCode, inSdl })) {
  const [size] = schema.getQueryType().getFields().list.args
  const compiled = await compileQuery(schema, document).query(undefined, undefined, {})
  const executed = await execute({ schema, document })
  console.log(`${title}: defaultValue ${size.defaultValue}, graphql-js ${executed.data.list}, graphql-jit ${compiled.data.list}`)
}
END
node show.mjs | tee seen

diff - seen <<'END' || { echo 'This has changed.' >&2; exit 1; }
graphql 17.1.0
inCode: defaultValue 5, graphql-js {"size":5}, graphql-jit {"size":5}
inSdl: defaultValue undefined, graphql-js {"size":5}, graphql-jit {}
END
