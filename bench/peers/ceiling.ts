/** The ceiling: Fastify answering every request with a constant. */
import Fastify from 'fastify'
import { listen } from './peer.ts'

const app = Fastify()
app.all('/*', (_request, reply) =>
  reply.type('application/json; charset=utf-8').send('{"id":1,"name":"Rex","categoryId":1}'),
)
await listen(app)
