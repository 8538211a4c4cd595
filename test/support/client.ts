import { type Agent, type IncomingHttpHeaders, request as httpRequest } from 'node:http'
import { connect } from 'node:net'
import { expectContract } from './openapi.ts'

export interface TestResponse {
  status: number
  headers: IncomingHttpHeaders
  /** The body as it was sent. */
  bytes: Buffer
  /** The same as text. */
  text: string
  /** The body parsed by JSON.parse, which rounds integers beyond 2^53; compare those in `text`. */
  json: unknown
}

export interface TestRequest {
  method?: string
  headers?: Record<string, string | string[]>
  /** Strings and bytes are sent unchanged, anything else as JSON. */
  body?: unknown
  /** The bearer token; null sends none. */
  key?: string | null
}

export interface GraphQLAnswer {
  status: number
  data: Record<string, unknown> | null | undefined
  errors?: { message: string; path?: unknown[]; extensions: Record<string, unknown> }[]
}

export interface TestClient {
  send(path: string, request?: TestRequest): Promise<TestResponse>
  post(path: string, body: unknown, request?: TestRequest): Promise<TestResponse>
  /** POST /v1/pets */
  createPet(pet: unknown, request?: TestRequest): Promise<TestResponse>
  /** Sends a GraphQL operation as JSON. */
  graphql(query: string, variables?: object): Promise<GraphQLAnswer>
  /** Updates a pet over GraphQL. @throws Error if the response contains errors */
  updatePet(id: string, patch: object): Promise<void>
  /** Deletes a pet over GraphQL. @throws Error if the response contains errors */
  deletePet(id: string): Promise<void>
  /** Sends bytes, and reads bytes until the server closes the connection. */
  raw(bytes: string): Promise<string>
}

export interface ClientOptions {
  /** Keeps connections; absent: each request has its own. */
  agent?: Agent
  /** Sees every answer, headers included. */
  onAnswer?: (answer: string) => void
}

/** A client that sends every request with this key, and checks every response against the contract. */
export function createClient(
  url: string,
  key: string,
  { agent, onAnswer = () => undefined }: ClientOptions = {},
): TestClient {
  const client: TestClient = {
    async send(path, request) {
      const answer = await sendRequest(url, path, { key, ...request }, agent)
      onAnswer(`${JSON.stringify(answer.headers)}\n${answer.text}`)
      return answer
    },
    post: (path, body, request) => client.send(path, { method: 'POST', body, ...request }),
    createPet: (pet, request) => client.post('/v1/pets', pet, request),
    async graphql(query, variables) {
      const { status, json } = await client.post('/graphql', { query, variables })
      return { status, ...(json as Omit<GraphQLAnswer, 'status'>) }
    },
    async updatePet(id, patch) {
      const query = 'mutation ($id: ID!, $patch: PetChanges!) { updatePet(id: $id, input: $patch) { id } }'
      throwErrors(await client.graphql(query, { id, patch }))
    },
    async deletePet(id) {
      throwErrors(await client.graphql('mutation ($id: ID!) { deletePet(id: $id) { id } }', { id }))
    },
    async raw(bytes) {
      const answer = await sendBytes(url, bytes)
      onAnswer(answer)
      return answer
    },
  }
  return client
}

/** The id of a created or fetched pet, with every digit. */
export function idOf({ text }: TestResponse): string {
  const [, id] = /"id":(-?\d+)/.exec(text) ?? []
  if (id === undefined) throw new Error(`There is no id in ${text}`)
  return id
}

/** The path of the next page of a list; undefined on the last page. */
export function nextPage({ headers }: Pick<TestResponse, 'headers'>): string | undefined {
  return /<([^<>]*)>; rel="next"/.exec(String(headers.link ?? ''))?.[1]
}

function throwErrors({ errors }: GraphQLAnswer): void {
  if (errors) throw new Error(JSON.stringify(errors))
}

/**
 * Sends a request, and checks the response if the contract has the path.
 * @param url the base URL of the server @param agent keeps connections; absent: a connection of its own
 */
export function sendRequest(
  url: string | URL,
  path: string,
  { method = 'GET', headers = {}, body, key = null }: TestRequest = {},
  agent: Agent | false = false,
): Promise<TestResponse> {
  const { hostname, port } = new URL(url)
  const allHeaders = {
    ...(key !== null && { authorization: `Bearer ${key}` }),
    ...(body !== undefined && { 'content-type': 'application/json' }),
    ...headers,
  }
  return new Promise((resolve, reject) => {
    const options = { hostname, port, path, method, headers: allHeaders, agent }
    const outgoing = httpRequest(options, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('error', reject)
      response.on('end', () => {
        const bytes = Buffer.concat(chunks)
        const text = bytes.toString()
        const { statusCode: status = 0, headers } = response
        const answer = { status, headers, bytes, text, json: parseJson(text) }
        try {
          expectContract(method, path, answer)
          resolve(answer)
        } catch (error) {
          reject(error instanceof Error ? error : new Error(String(error)))
        }
      })
    })
    outgoing.on('error', reject)
    const isRaw = typeof body === 'string' || body instanceof Uint8Array
    outgoing.end(body === undefined ? undefined : isRaw ? body : JSON.stringify(body))
  })
}

function sendBytes(url: string, bytes: string): Promise<string> {
  const { hostname, port } = new URL(url)
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname)
    let received = ''
    socket.on('data', (chunk) => (received += chunk.toString()))
    socket.on('error', reject)
    socket.on('close', () => resolve(received))
    socket.write(bytes)
  })
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
