/** GraphiQL over HTTP: the page and its files. */
import { createHash, randomBytes } from 'node:crypto'
import { isIP } from 'node:net'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import Negotiator from 'negotiator'
import { ServiceError } from '../../errors.ts'
import { addVary } from '../../http/headers.ts'
import { registerOtherMethods } from '../../http/methods.ts'
import { GRAPHQL_PATH } from '../../http/paths.ts'
import { EXTRA_STYLE, type GraphiqlFiles, graphiqlPolicy, renderGraphiqlPage } from './page.ts'

const FILES_PATH = `${GRAPHQL_PATH}/graphiql`
/** Relative to the page, so that it also works behind a proxy that adds a prefix to all paths. */
const RELATIVE_FILES_PATH = `.${FILES_PATH}`

/** The content codings, best first. */
const CODINGS: { name: string; compress: (content: Buffer) => Promise<Buffer> }[] = [
  {
    name: 'br',
    // Compressing the script takes 0.14 s at this quality; the best quality takes 15 s and saves only an eighth.
    compress: (content) =>
      promisify(brotliCompress)(content, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }),
  },
  { name: 'gzip', compress: promisify(gzip) },
]

/**
 * Adds routes for GraphiQL's files, which are public, and immutable because each name contains a hash of the content.
 * @param secret the API key to fill in for a browser on this machine
 * @returns sends the page
 */
export function registerGraphiql(app: FastifyInstance, secret: string | null) {
  let loaded: ReturnType<typeof loadFiles> | undefined
  const load = () => (loaded ??= loadFiles())
  const compressed = new Map<string, Promise<Buffer>>()

  app.get<{ Params: { file: string } }>(`${FILES_PATH}/:file`, async (request, reply) => {
    const { file } = request.params
    const content = (await load()).contents.get(file)
    if (content === undefined) throw new ServiceError('NOT_FOUND')
    addVary(reply, 'Accept-Encoding')
    reply.headers({
      'cache-control': 'public, max-age=31536000, immutable',
      'content-type': `${file.endsWith('.css') ? 'text/css' : 'text/javascript'}; charset=utf-8`,
      'x-content-type-options': 'nosniff',
      // Workers do not inherit the page's policy.
      'content-security-policy': `default-src 'none'`,
    })

    const accepted = new Negotiator(request).encodings(CODINGS.map(({ name }) => name))
    const coding = CODINGS.find(({ name }) => accepted.includes(name))
    if (!coding) return reply.send(content)
    const key = `${file} ${coding.name}`
    const known = compressed.get(key) ?? coding.compress(content)
    compressed.set(key, known)
    return reply.header('content-encoding', coding.name).send(await known)
  })
  registerOtherMethods(app, `${FILES_PATH}/:file`, ['GET'], [])

  return async (request: FastifyRequest, reply: FastifyReply) => {
    const { files } = await load()
    const nonce = randomBytes(16).toString('base64')
    // Scripts from other origins must not read the key in it.
    reply.removeHeader('access-control-allow-origin')
    reply.headers({
      'cache-control': 'no-store',
      'content-security-policy': graphiqlPolicy(nonce),
      'content-type': 'text/html; charset=utf-8',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
    })
    const filledIn = isLocal(request) ? secret : null
    return reply.send(renderGraphiqlPage({ files, secret: filledIn, nonce }))
  }
}

/** GraphiQL's nine megabytes of script, loaded on the first request. */
async function loadFiles(): Promise<{ files: GraphiqlFiles; contents: Map<string, Buffer> }> {
  const bundle = await import('@graphql-yoga/render-graphiql/graphiql')
  const contents = new Map<string, Buffer>()
  const add = (name: string, extension: string, content: string) => {
    const hash = createHash('sha256').update(content).digest('base64url').slice(0, 16)
    const file = `${name}-${hash}.${extension}`
    // All answers share a buffer; each would make its own copy of a string.
    contents.set(file, Buffer.from(content))
    return `${RELATIVE_FILES_PATH}/${file}`
  }
  const files = {
    script: add('graphiql', 'js', bundle.js),
    style: add('graphiql', 'css', bundle.css + EXTRA_STYLE),
    workers: {
      editorWorkerService: add('editor-worker', 'js', bundle.editorWorkerService),
      json: add('json-worker', 'js', bundle.jsonWorker),
      graphql: add('graphql-worker', 'js', bundle.graphqlWorker),
    },
  }
  return { files, contents }
}

const PROXY_HEADERS = [
  'forwarded',
  'via',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
  'x-real-ip',
]

/**
 * Whether a request comes directly from this machine, addressed to an IP address or localhost. Any other host name could be pointed at
 * this server by an attacker's page, which could then read the response (DNS rebinding).
 */
function isLocal({ hostname, headers, socket }: FastifyRequest): boolean {
  const isLoopback = /^(::ffff:)?127\.|^::1$/.test(socket.remoteAddress ?? '')
  const isOwnName = hostname === 'localhost' || isIP(hostname.replace(/^\[|\]$/g, '')) !== 0
  return isLoopback && isOwnName && PROXY_HEADERS.every((name) => headers[name] === undefined)
}
