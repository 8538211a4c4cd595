import { type IncomingHttpHeaders, request as httpRequest } from 'node:http'
import { connect } from 'node:net'
import { expectContract } from './openapi.ts'

export interface TestResponse {
  status: number
  headers: IncomingHttpHeaders
  /** The body, byte for byte. */
  text: string
  /** The body as JSON.parse reads it: integers beyond 2^53 are for `text`. */
  json: unknown
}

export interface TestRequest {
  method?: string
  headers?: Record<string, string | string[]>
  /** Sent as it is when it is a string or bytes, as JSON otherwise. */
  body?: unknown
  /** The bearer token; null sends none. */
  key?: string | null
}

export interface TestClient {
  send(path: string, request?: TestRequest): Promise<TestResponse>
  /** Runs a GraphQL operation, as frontend clients do. */
  graphql(query: string, variables?: object): Promise<GraphQLAnswer>
  /** Sends bytes, and reads bytes until the server closes the connection. */
  raw(bytes: string): Promise<string>
}

export interface GraphQLAnswer {
  status: number
  data: Record<string, unknown> | null | undefined
  errors?: { message: string; path?: unknown[]; extensions: Record<string, unknown> }[]
}

export function createClient(url: string, key: string): TestClient {
  const { hostname, port } = new URL(url)
  const client: TestClient = {
    send(path, { method = 'GET', headers = {}, body, key: given = key } = {}) {
      const isRaw = typeof body === 'string' || body instanceof Uint8Array
      const sent = {
        ...(given !== null && { authorization: `Bearer ${given}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      }
      return new Promise((resolve, reject) => {
        const request = httpRequest(
          { hostname, port, path, method, headers: sent, agent: false },
          (response) => {
            const chunks: Buffer[] = []
            response.on('data', (chunk: Buffer) => chunks.push(chunk))
            response.on('error', reject)
            response.on('end', () => {
              const text = Buffer.concat(chunks).toString()
              const { statusCode: status = 0, headers } = response
              const answer = { status, headers, text, json: parseJson(text) }
              try {
                expectContract(method, path, answer)
                resolve(answer)
              } catch (error) {
                reject(error instanceof Error ? error : new Error(String(error)))
              }
            })
          },
        )
        request.on('error', reject)
        request.end(body === undefined ? undefined : isRaw ? body : JSON.stringify(body))
      })
    },
    async graphql(query, variables) {
      const { status, json } = await client.send('/graphql', { method: 'POST', body: { query, variables } })
      return { status, ...(json as Omit<GraphQLAnswer, 'status'>) }
    },
    raw(bytes) {
      return new Promise((resolve, reject) => {
        const socket = connect(Number(port), hostname)
        let received = ''
        socket.on('data', (chunk) => (received += chunk.toString()))
        socket.on('error', reject)
        socket.on('close', () => resolve(received))
        socket.write(bytes)
      })
    },
  }
  return client
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
