import { BlockList, isIP } from 'node:net'

/** The maximum number of proxies in a chain: each address in the header is checked, and a client may send any number. */
const MAX_PROXIES = 10

/**
 * Decides which peers are proxies whose X-Forwarded-* headers are trusted, in the form that Fastify expects.
 * @param proxies addresses, networks such as 10.0.0.0/8, and `loopback`
 */
export function trustProxies(proxies: readonly string[]): (address: string, hop: number) => boolean {
  const list = new BlockList()
  const networks = proxies.flatMap((proxy) => (proxy === 'loopback' ? ['127.0.0.0/8', '::1'] : [proxy]))
  for (const network of networks) {
    const [address = '', prefix] = network.split('/')
    if (prefix === undefined) list.addAddress(address, familyOf(address))
    else list.addSubnet(address, Number(prefix), familyOf(address))
  }
  return (address, hop) => hop < MAX_PROXIES && isIP(address) !== 0 && list.check(address, familyOf(address))
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 6 ? 'ipv6' : 'ipv4'
}
