/** Which address a request comes from: TRUST_PROXY says whose X-Forwarded-For counts. */
import { isIPv6 } from 'node:net'
import type { IncomingMessage } from 'node:http'
import proxyAddr, { compile } from '@fastify/proxy-addr'
import type { FastifyInstance } from 'fastify'

/** The maximum number of proxies in a chain: each address in the header is checked, and a client may send any number. */
const MAX_PROXIES = 10

/** Whether an address is that of a proxy, as Fastify expects it. @param hop how many proxies are between it and this server */
export type TrustsProxy = (address: string, hop: number) => boolean

/** Decides which peers are proxies. @param proxies addresses, networks such as 10.0.0.0/8, and `loopback` */
export function trustProxies(proxies: readonly string[]): TrustsProxy {
  const isTrusted = compile(proxies.flatMap(halve))
  return (address, hop) => hop < MAX_PROXIES && isTrusted(address, hop)
}

/** Splits a network of all addresses in two, since the library does not accept it. */
function halve(proxy: string): string[] {
  if (!/\/0+$/.test(proxy)) return [proxy]
  return isIPv6(proxy.replace(/\/.*/, '')) ? ['::/1', '8000::/1'] : ['0.0.0.0/1', '128.0.0.0/1']
}

/** An address with a port, or an IPv6 address in brackets, among others in X-Forwarded-For. */
const WITH_PORT = /(?<![^\s,])(?:(\d+(?:\.\d+){3}):\d*|\[([\da-f:.]+)\](?::\d*)?)(?![^\s,])/gi

/** Lets `request.ip` be an address without a port. */
export function ignorePorts(app: FastifyInstance): void {
  app.addHook('onRequest', ({ raw }, _, done) => {
    removePorts(raw)
    done()
  })
}

/** The client's address, for a request that the router cannot read: Fastify makes `ip` that of the proxy there. */
export function addressOf(request: IncomingMessage, trustsProxy: TrustsProxy): string {
  removePorts(request)
  return proxyAddr(request, trustsProxy)
}

/** Removes the ports that some proxies, such as Azure Application Gateway, add to addresses: each connection of a client has another one. */
function removePorts({ headers }: IncomingMessage): void {
  const forwardedFor = headers['x-forwarded-for']
  if (typeof forwardedFor === 'string' && forwardedFor.includes(':'))
    headers['x-forwarded-for'] = forwardedFor.replaceAll(WITH_PORT, '$1$2')
}
