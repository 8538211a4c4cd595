import { get as httpGet, type IncomingHttpHeaders } from 'node:http'

export interface Answer {
  status: number
  headers: IncomingHttpHeaders
  /** The body as it was sent, and as text. */
  bytes: Buffer
  body: string
}

/** GET with any Host header, without decoding the body. */
export function get(url: URL, headers: Record<string, string>): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const outgoing = httpGet(url, { headers, agent: false }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('error', reject)
      response.on('end', () => {
        const bytes = Buffer.concat(chunks)
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          bytes,
          body: bytes.toString(),
        })
      })
    })
    outgoing.on('error', reject)
  })
}
