/** A server that serves the original contract and nothing else, written without any of this project's code. */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import { listenOnLoopback } from './free-port.ts'

export interface Answer {
  status: number
  /** Already written as JSON. */
  body: string
  headers?: Record<string, string>
}

/** Replaces or changes what the server answers. */
export type Fault = (
  answer: Answer,
  request: { method: string; url: URL; body: string; key: string },
) => Answer

export interface ContractServer {
  /** Ends in /v1. */
  baseUrl: string
  /** The methods of the requests that it got, in order. */
  methods: string[]
  /** Its pets, as JSON. */
  pets: Map<string, string>
  fault: Fault | null
  /** For a server of the test's own. */
  handle: RequestListener
  close(): Promise<void>
}

const STATUSES = ['available', 'pending', 'sold']
const INT64 = /^-?\d{1,19}$/
const isInt64 = (digits: string) => INT64.test(digits) && BigInt.asIntN(64, BigInt(digits)) === BigInt(digits)

/** @param key its API key */
export async function startContractServer(key: string): Promise<ContractServer> {
  const pets = new Map<string, string>()
  const methods: string[] = []
  const handle = (request: IncomingMessage, response: ServerResponse): void => {
    void read(request).then((body) => {
      const { method = '', headers } = request
      const url = new URL(`http://server${request.url?.replaceAll('%zz', '') ?? ''}`)
      const received = { method, url, body, key: headers.authorization ?? '' }
      methods.push(method)
      const correct = received.key === `Bearer ${key}` ? answer(pets, received) : error(401, 'no_key')
      const reply = state.fault?.(correct, received) ?? correct
      response
        .writeHead(reply.status, { 'content-type': 'application/json', ...reply.headers })
        .end(reply.body)
    })
  }
  const server = createServer(handle)
  const port = await listenOnLoopback(server)
  const state: ContractServer = {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    methods,
    pets,
    fault: null,
    handle,
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
  return state
}

async function read(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString()
}

function answer(
  pets: Map<string, string>,
  { method, url, body }: { method: string; url: URL; body: string },
): Answer {
  if (url.pathname === '/v1/pets' && method === 'POST') return create(pets, body)
  if (url.pathname === '/v1/pets') return list(pets, url.searchParams)
  const [, id] = /^\/v1\/pets\/(-?\d+)$/.exec(url.pathname) ?? []
  const pet = pets.get(id ?? '')
  return pet === undefined ? error(404, 'no_pet') : { status: 200, body: pet }
}

function list(pets: Map<string, string>, query: URLSearchParams): Answer {
  const limit = Math.min(Math.max(Number(query.get('limit') ?? 20) || 20, 1), 100)
  const status = query.get('status')
  // Newest first, since the contract leaves the order open.
  const found = [...pets.values()].reverse().filter((pet) => !status || pet.includes(`"status":"${status}"`))
  return { status: 200, body: `[${found.slice(0, limit).join(',')}]` }
}

/** Keeps the digits of categoryId, which JSON.parse would round. */
export function create(pets: Map<string, string>, body: string): Answer {
  const [, digits = ''] = /"categoryId":\s*(-?\d+)\s*[,}]/.exec(body) ?? []
  try {
    const { name, status } = JSON.parse(body) as { name?: unknown; status?: unknown }
    const isStatus = status === undefined || (typeof status === 'string' && STATUSES.includes(status))
    if (typeof name !== 'string' || !isStatus || !isInt64(digits)) return error(400, 'bad_pet')
    const id = String(pets.size + 1)
    // The contract does not say what an omitted status is.
    const pet = `{"id":${id},"name":${JSON.stringify(name)},"categoryId":${digits},"status":"${status ?? 'available'}"}`
    pets.set(id, pet)
    return { status: 201, body: pet }
  } catch {
    return error(400, 'bad_json')
  }
}

export const error = (status: number, code: string): Answer => ({
  status,
  body: JSON.stringify({ code, message: 'It is wrong.', status }),
})
