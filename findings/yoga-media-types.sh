#!/usr/bin/env bash
# Media types are case-insensitive, may be followed by a space before the semicolon, and are chosen by their q (RFC 9110, 8.3.1,
# 5.6.6, 12.5.1). One would expect an HTTP library to follow this.
# GraphQL Yoga compares the texts: a body of Application/JSON gets 415, without a word. Of several accepted types, it takes
# the first, whatever their q, even one with q=0. Fastify, for comparison, accepts all of these bodies.
# Here: Fastify reads the bodies, and src/graphql/media-types.ts chooses the type of a response.
set -euo pipefail
directory=$(mktemp --directory)
trap 'rm -rf "$directory"' EXIT
cd "$directory"
npm init --yes >npm.log
npm install --no-audit --no-fund graphql-yoga@5.24.1 graphql@17.1.0 fastify@5.12.8 >>npm.log

cat >show.mjs <<'END'
import Fastify from 'fastify'
import { createSchema, createYoga } from 'graphql-yoga'
import { readFileSync } from 'node:fs'

const read = (name) => JSON.parse(readFileSync(`node_modules/${name}/package.json`, 'utf8')).version
console.log(`graphql-yoga ${read('graphql-yoga')}, fastify ${read('fastify')}`)
const yoga = createYoga({ schema: createSchema({ typeDefs: 'type Query { a: Int }' }) })
const app = Fastify()
app.post('/', () => 'ok')
const body = '{"query": "{ a }"}'

for (const type of ['application/json', 'Application/JSON', 'application/json ; charset=utf-8']) {
  const headers = { 'content-type': type }
  const response = await yoga.fetch('http://localhost/graphql', { method: 'POST', headers, body })
  const { statusCode } = await app.inject({ method: 'POST', url: '/', headers, payload: body })
  console.log(`${type}: Yoga ${response.status}, ${(await response.text()).length} characters; Fastify ${statusCode}`)
}
for (const q of ['q=0.5', 'q=0']) {
  const accept = `application/graphql-response+json;${q}, application/json`
  const headers = { 'content-type': 'application/json', accept }
  const response = await yoga.fetch('http://localhost/graphql', { method: 'POST', headers, body })
  console.log(`${accept}: ${response.status} ${response.headers.get('content-type')}`)
}
END
node show.mjs | tee seen

diff - seen <<'END' || { echo 'This has changed.' >&2; exit 1; }
graphql-yoga 5.24.1, fastify 5.12.8
application/json: Yoga 200, 19 characters; Fastify 200
Application/JSON: Yoga 415, 0 characters; Fastify 200
application/json ; charset=utf-8: Yoga 415, 0 characters; Fastify 200
application/graphql-response+json;q=0.5, application/json: 200 application/graphql-response+json; charset=utf-8
application/graphql-response+json;q=0, application/json: 200 application/graphql-response+json; charset=utf-8
END
