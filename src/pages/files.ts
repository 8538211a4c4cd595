/** The files that pages load: scripts and styles. */
import type { FastifyInstance } from 'fastify'
import { ServiceError } from '../base/errors.ts'
import { loadOnce } from '../http/load-once.ts'
import { registerOtherMethods } from '../http/methods.ts'
import { StaticContent } from '../http/static-content.ts'

/** The file name in the path of an import. */
const IMPORT = /(?<=^import \{[^}]*\} from '\.\/)([\w-]+\.js)(?=')/gm

const TYPES = { css: 'text/css; charset=utf-8', js: 'text/javascript; charset=utf-8' }

/**
 * Adds a route for a page's files, which are public, and immutable because each name contains a hash of the content.
 * @param folder the path that the files are below, such as /docs
 * @param load reads the content of each file, by its name, such as page.js, when it is first needed; a module imports only files
 *   before it
 * @returns the URL of each file, relative to a page at the top level, so that it also works behind a proxy that adds a prefix to all
 *   paths
 */
export function registerFiles<Name extends `${string}.${keyof typeof TYPES}`>(
  app: FastifyInstance,
  folder: string,
  load: () => Promise<Record<Name, string>>,
): () => Promise<Record<Name, string>> {
  const prepare = loadOnce(async () => prepareFiles(folder, await load()))

  app.get<{ Params: { file: string } }>(`${folder}/:file`, async (request, reply) => {
    const content = (await prepare()).contents.get(request.params.file)
    if (content === undefined) throw new ServiceError('NOT_FOUND')
    reply.headers({
      'cache-control': 'public, max-age=31536000, immutable',
      // Workers do not inherit the page's policy.
      'content-security-policy': `default-src 'none'`,
    })
    return content.send(request, reply)
  })
  registerOtherMethods(app, `${folder}/:file`, ['GET'], [])
  return async () => (await prepare()).urls
}

function prepareFiles<Name extends string>(folder: string, files: Record<Name, string>) {
  const contents = new Map<string, StaticContent>()
  const hashedNames = new Map<string, string>()
  const urls = Object.entries<string>(files).map(([file, text]) => {
    const [name = '', extension] = file.split('.')
    const linked = text.replace(IMPORT, (path, imported: string) => hashedNames.get(imported) ?? path)
    const content = new StaticContent(extension === 'css' ? TYPES.css : TYPES.js, linked)
    const hashed = `${name}-${content.hash}.${extension ?? ''}`
    hashedNames.set(file, hashed)
    contents.set(hashed, content)
    return [file, `.${folder}/${hashed}`]
  })
  return { contents, urls: Object.fromEntries(urls) as Record<Name, string> }
}
