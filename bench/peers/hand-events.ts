/**
 * Live updates as one would write them by hand: Fastify, server-sent events by raw writes, each event written as a text once and sent to all.
 * Unlike a real one, it sees only the creations that it makes itself.
 */
import type { ServerResponse } from 'node:http'
import { createFastify, listen, requireKey } from './peer.ts'
import { connectPets, type NewPet } from './pets.ts'

/** So often, proxies see that a connection is in use: as our server does. */
const PING_MS = 12_000
/** Other requests have their turn after so many subscribers. */
const SUBSCRIBERS_IN_TURN = 100

const pets = connectPets<string>((digits) => digits)
const subscribers = new Set<ServerResponse>()

const app = createFastify()
requireKey(app)
app.post('/graphql', (_request, reply) => {
  reply.hijack()
  const { raw } = reply
  raw.writeHead(200, {
    'content-type': 'text/event-stream',
    'cache-control': 'no-cache, no-transform',
    'x-accel-buffering': 'no',
  })
  raw.write(':\n\n')
  subscribers.add(raw)
  raw.once('close', () => subscribers.delete(raw))
})
app.post<{ Body: NewPet }>('/v1/pets', async ({ body }, reply) => {
  const pet = await pets.create(body)
  void publish({ petChanged: { kind: 'created', pet } })
  reply.code(201)
  return pet
})
app.get<{ Params: { petId: string } }>('/v1/pets/:petId', ({ params }) => pets.find(params.petId))
app.get('/healthz', () => ({}))
setInterval(() => void sendToAll(':\n\n'), PING_MS)

await listen(app)

function publish(data: object): Promise<void> {
  return sendToAll(`event: next\ndata: ${JSON.stringify({ data })}\n\n`)
}

async function sendToAll(text: string): Promise<void> {
  let sent = 0
  for (const subscriber of [...subscribers]) {
    subscriber.write(text)
    sent += 1
    if (sent % SUBSCRIBERS_IN_TURN === 0) await new Promise(setImmediate)
  }
}
