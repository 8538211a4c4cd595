/** Which requests get the demo's key. */
import type { FastifyRequest } from 'fastify'

/** Headers in which proxies name the original client: X-Forwarded-Port and the like, and Forwarded (RFC 7239). */
const PROXY_HEADER = /^(forwarded|via|x-forwarded(-.*)?|x-original-.*|x-(real|client)-ip)$/

/**
 * Whether the page that answers a request may contain the demo's read-only key: the request comes directly from a browser on this machine,
 * addressed to localhost or to the loopback address that it has reached.
 * Any other host name could be pointed at this server by an attacker's page, which could then read the response (DNS rebinding).
 */
export function mayHaveDemoKey({ headers, socket }: FastifyRequest): boolean {
  const { remoteAddress = '', localAddress = '', localPort } = socket
  const isLoopback = /^(::ffff:)?127\.|^::1$/.test(remoteAddress)
  const address = localAddress === '::1' ? '[::1]' : localAddress.replace('::ffff:', '')
  const port = localPort === 80 ? '' : `:${localPort}`
  const isOwnHost = ['localhost', address].some((name) => headers.host === name + port)
  // Browsers send `Connection: keep-alive`, which is for one hop only. So nginx, which by default adds no header of its own, drops it.
  const isForwarded =
    headers.connection !== 'keep-alive' || Object.keys(headers).some((name) => PROXY_HEADER.test(name))
  return isLoopback && isOwnHost && !isForwarded
}
