/** GraphQL Yoga with its defaults, on Node's http as in its documentation. */
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
