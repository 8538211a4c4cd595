import { once } from 'node:events'
import { type AddressInfo, createServer, type Server } from 'node:net'

/** Listens on a port of the loopback interface. @returns the port */
export async function listenOnLoopback(server: Server): Promise<number> {
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return (server.address() as AddressInfo).port
}

/** A port of the loopback interface that nothing listens on. */
export async function findFreePort(): Promise<number> {
  const probe = createServer()
  const port = await listenOnLoopback(probe)
  probe.close()
  await once(probe, 'close')
  return port
}
