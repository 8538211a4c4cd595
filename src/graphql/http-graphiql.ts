/** GraphiQL over HTTP: the page, and the files that it is made of. */
import { createHash, randomBytes } from 'node:crypto'
import { isIP } from 'node:net'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import Negotiator from 'negotiator'
import { ServiceError } from '../errors.ts'
import { addVary, answerOtherMethods } from '../http.ts'
import { GRAPHQL_PATH } from '../paths.ts'
import { EXTRA_STYLE, type GraphiqlFiles, graphiqlPolicy, renderGraphiqlPage } from './graphiql.ts'

const FILES_PATH = `${GRAPHQL_PATH}/graphiql`

/** In the order in which we like them. */
const CODINGS: { name: string; compress: (content: string) => Promise<Buffer> }[] = [
  {
    name: 'br',
    // The quality at which the script takes 0.14 s; the best one takes 15 s, and saves an eighth.
    compress: (content) =>
      promisify(brotliCompress)(content, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }),
  },
  { name: 'gzip', compress: promisify(gzip) },
]

/**
 * Adds the files of GraphiQL to the server: public, the same for everybody, and for ever what their names say.
 * @param secret the API key to fill in for those who call this server by its address, not by a name
 * @returns sends the page
 */
export function addGraphiql(door: FastifyInstance, secret: string | null) {
  let loaded: ReturnType<typeof loadFiles> | undefined
  const load = () => (loaded ??= loadFiles())
  const compressed = new Map<string, Promise<Buffer>>()

  door.get<{ Params: { file: string } }>(`${FILES_PATH}/:file`, async (request, reply) => {
    const { file } = request.params
    const content = (await load()).contents.get(file)
    if (content === undefined) throw new ServiceError('NOT_FOUND')
    addVary(reply, 'Accept-Encoding')
    reply.headers({
      'cache-control': 'public, max-age=31536000, immutable',
      'content-type': `${file.endsWith('.css') ? 'text/css' : 'text/javascript'}; charset=utf-8`,
      'x-content-type-options': 'nosniff',
      // For the workers among them, which have a policy of their own.
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
  answerOtherMethods(door, `${FILES_PATH}/:file`, ['GET'], [])

  return async (request: FastifyRequest, reply: FastifyReply) => {
    const { files } = await load()
    const nonce = randomBytes(16).toString('base64')
    // Scripts of other origins have no business with the key in it.
    reply.removeHeader('access-control-allow-origin')
    reply.headers({
      'cache-control': 'no-store',
      'content-security-policy': graphiqlPolicy(nonce),
      'content-type': 'text/html; charset=utf-8',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
    })
    const filledIn = isOwnHost(request) ? secret : null
    return reply.send(renderGraphiqlPage({ endpoint: GRAPHQL_PATH, files, secret: filledIn, nonce }))
  }
}

/** GraphiQL is nine megabytes of script: not loaded before somebody wants it. */
async function loadFiles(): Promise<{ files: GraphiqlFiles; contents: Map<string, string> }> {
  const bundle = await import('@graphql-yoga/render-graphiql/graphiql')
  const contents = new Map<string, string>()
  const add = (name: string, extension: string, content: string) => {
    const hash = createHash('sha256').update(content).digest('base64url').slice(0, 16)
    const file = `${name}-${hash}.${extension}`
    contents.set(file, content)
    return `${FILES_PATH}/${file}`
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

/** Under any other name a page of somebody else's may have this address as well (DNS rebinding), and read what is on it. */
function isOwnHost({ hostname }: FastifyRequest): boolean {
  return hostname === 'localhost' || isIP(hostname.replace(/^\[|\]$/g, '')) !== 0
}
