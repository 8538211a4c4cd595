/** Mercurius, compiling each document after its first execution. */
import mercurius from 'mercurius'
import { resolvers, typeDefs } from './graph.ts'
import { createFastify, listen, requireKey } from './peer.ts'

const app = createFastify()
requireKey(app)
await app.register(mercurius, { schema: typeDefs, resolvers, jit: 1, graphiql: false })
await listen(app)
