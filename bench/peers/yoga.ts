/** GraphQL Yoga as it comes, on Node's http as its documentation has it. */
import { createSchema, createYoga } from 'graphql-yoga'
import { resolvers, typeDefs } from './graph.ts'
import { serveHandler } from './peer.ts'

const yoga = createYoga({
  schema: createSchema({ typeDefs, resolvers }),
  graphiql: false,
  landingPage: false,
  multipart: false,
})
serveHandler(async (request, response) => yoga(request, response))
