#!/usr/bin/env bash
# A server is asked to close while a client still reads a large response, of which the handler has ended the last byte. Node's documentation
# says that `server.close()` closes connections that are not sending a request or waiting for a response, so one would expect that the
# client gets all of it, as it does if the handler has not ended the response yet.
# `close()` (and `closeIdleConnections()`) takes the connection for idle as soon as the handler has called `end`, although most of the response
# still waits in the process: it is cut off there. So a graceful shutdown loses the responses of slow readers.
# Here: src/http/connections/graceful-shutdown.ts closes only the listener, and idle connections while nothing is being sent.
set -euo pipefail
directory=$(mktemp --directory)
trap 'rm -rf "$directory"' EXIT
cd "$directory"
npm init --yes >npm.log
npm install --no-audit --no-fund node@24.21.0 >>npm.log

cat >show.mjs <<'END'
import { once } from 'node:events'
import { createServer, get } from 'node:http'
import { Server as NetServer } from 'node:net'
import { setImmediate } from 'node:timers/promises'

console.log('node', process.version)
const LENGTH = 50_000_000

const ways = {
  'no close': () => undefined,
  'only the listener is closed': (server) => NetServer.prototype.close.call(server),
  'server.close()': (server) => server.close(),
}
for (const [name, close] of Object.entries(ways)) {
  const server = createServer((_, response) => {
    response.writeHead(200, { 'Content-Length': LENGTH })
    response.end('x'.repeat(LENGTH))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const request = get({ port: server.address().port, host: '127.0.0.1', agent: false, headers: { connection: 'keep-alive' } })
  const [response] = await once(request, 'response')
  close(server)
  await setImmediate()
  let received = 0
  response.on('data', (chunk) => (received += chunk.length))
  await new Promise((resolve) => response.once('close', resolve).once('error', () => undefined))
  console.log(`${name}: ${received === LENGTH ? 'the client got all of it' : 'the response was cut off'}`)
  server.closeAllConnections()
  server.close()
}
END
node_modules/.bin/node show.mjs | tee seen

diff - seen <<'END' || { echo 'This has changed.' >&2; exit 1; }
node v24.21.0
no close: the client got all of it
only the listener is closed: the client got all of it
server.close(): the response was cut off
END
