/** PostGraphile, which derives its schema from the tables; NODE_ENV and GRAPHILE_ENV are production. */
import { postgraphile } from 'postgraphile'
import { makePgService } from 'postgraphile/adaptors/pg'
import { grafserv } from 'postgraphile/grafserv/fastify/v5'
import { PostGraphileAmberPreset } from 'postgraphile/presets/amber'
import { createFastify, DATABASE_URL, listen, POOL_SIZE, requireKey } from './peer.ts'

const app = createFastify()
requireKey(app)
const server = postgraphile({
  extends: [PostGraphileAmberPreset],
  pgServices: [
    makePgService({ connectionString: DATABASE_URL, schemas: ['public'], poolConfig: { max: POOL_SIZE } }),
  ],
  grafserv: { graphiql: false },
}).createServ(grafserv)
await server.addTo(app)
await listen(app)
