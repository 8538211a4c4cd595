/** Apollo Server on Fastify, since its standalone server is meant for development. NODE_ENV=production turns introspection off. */
import { ApolloServer } from '@apollo/server'
import fastifyApollo, { fastifyApolloDrainPlugin } from '@as-integrations/fastify'
import { resolvers, typeDefs } from './graph.ts'
import { createFastify, listen, requireKey } from './peer.ts'

const app = createFastify()
requireKey(app)
const apollo = new ApolloServer({ typeDefs, resolvers, plugins: [fastifyApolloDrainPlugin(app)] })
await apollo.start()
await app.register(fastifyApollo(apollo))
await listen(app)
