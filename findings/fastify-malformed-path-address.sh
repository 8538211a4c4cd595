#!/usr/bin/env bash
# With trustProxy, Fastify's request.ip is the client's address from X-Forwarded-For. One would expect that wherever Fastify
# hands out a request: to hooks, to handlers, to handlers of errors.
# The router cannot read a path with a malformed percent-encoding; the request that `frameworkErrors` is given then has the
# proxy's address, and no ips. So a log that it writes names the proxy as the client.
# Here: src/http/trusted-proxies.ts (addressOf) reads the address of such a request.
set -euo pipefail
directory=$(mktemp --directory)
trap 'rm -rf "$directory"' EXIT
cd "$directory"
npm init --yes >npm.log
npm install --no-audit --no-fund fastify@5.12.8 >>npm.log

cat >show.mjs <<'END'
import Fastify from 'fastify'
import { readFileSync } from 'node:fs'

console.log(`fastify ${JSON.parse(readFileSync('node_modules/fastify/package.json', 'utf8')).version}`)
const app = Fastify({
  trustProxy: ['127.0.0.1'],
  frameworkErrors: (error, { ip, ips }, reply) => reply.code(error.statusCode).send({ ip, ips }),
})
app.get('/*', ({ ip, ips }) => ({ ip, ips }))
for (const url of ['/pet', '/p%65t', '/p%et']) {
  const { statusCode, payload } = await app.inject({ url, headers: { 'x-forwarded-for': '192.0.2.7' } })
  console.log(`${url}: ${statusCode} ${payload}`)
}
END
node show.mjs | tee seen

diff - seen <<'END' || { echo 'This has changed.' >&2; exit 1; }
fastify 5.12.8
/pet: 200 {"ip":"192.0.2.7","ips":["127.0.0.1","192.0.2.7"]}
/p%65t: 200 {"ip":"192.0.2.7","ips":["127.0.0.1","192.0.2.7"]}
/p%et: 400 {"ip":"127.0.0.1"}
END
