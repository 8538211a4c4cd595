#!/usr/bin/env bash
# A connection is ended, and then reset at once, as a proxy does when one side has sent its last byte and the other one fails.
# Node's documentation says that `resetAndDestroy()` closes the connection by a RST packet and destroys the stream, so one would expect
# `close`, as after `end()` and `destroy()`.
# From `end()` until `finish`, it does neither: the socket is destroyed as far as JavaScript can see, `error` says EINVAL, `close` never comes,
# the file stays open, and a process that would end by itself does not. Only `process.exit()` ends it.
# Here: `reset` in src/workarounds/node.ts closes a connection that is being ended.
set -euo pipefail
directory=$(mktemp --directory)
trap 'rm -rf "$directory"' EXIT
cd "$directory"
npm init --yes >npm.log
npm install --no-audit --no-fund node@24.21.0 >>npm.log

cat >show.mjs <<'END'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { setTimeout } from 'node:timers/promises'

console.log('node', process.version)
const server = createServer((socket) => socket.on('error', () => undefined).resume()).listen(0, '127.0.0.1')
await once(server, 'listening')
const countFiles = () => readdirSync('/proc/self/fd').length

const ways = {
  'destroy()': (socket) => socket.destroy(),
  'resetAndDestroy()': (socket) => socket.resetAndDestroy(),
  'end(), destroy()': (socket) => socket.end().destroy(),
  'end(), finish, resetAndDestroy()': (socket) => socket.end(() => socket.resetAndDestroy()),
  'end(), resetAndDestroy()': (socket) => socket.end().resetAndDestroy(),
}
for (const [name, close] of Object.entries(ways)) {
  const before = countFiles()
  const socket = connect(server.address().port, '127.0.0.1')
  await once(socket, 'connect')
  const seen = []
  socket.on('error', ({ code }) => seen.push(`error ${code}`)).on('close', () => seen.push('close'))
  close(socket)
  await setTimeout(500)
  console.log(`${name}: ${seen.join(', ')}; destroyed: ${socket.destroyed}; files left open: ${countFiles() - before}`)
}
process.exit()
END
node_modules/.bin/node show.mjs | tee seen

diff - seen <<'END' || { echo 'This has changed.' >&2; exit 1; }
node v24.21.0
destroy(): close; destroyed: true; files left open: 0
resetAndDestroy(): close; destroyed: true; files left open: 0
end(), destroy(): close; destroyed: true; files left open: 0
end(), finish, resetAndDestroy(): close; destroyed: true; files left open: 0
end(), resetAndDestroy(): error EINVAL; destroyed: true; files left open: 1
END
