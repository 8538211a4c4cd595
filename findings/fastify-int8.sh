#!/usr/bin/env bash
# postgres.js returns an int8 as a string, so that no digit is lost. One would expect that Fastify writes this string exactly
# where the schema says integer, as it does with a BigInt, or that it refuses it.
# It rounds the string. If the schema says integer or null, as for a nullable column, it answers 500 instead, for small
# numbers, too.
# Here: src/rest/json-integer.ts writes the integers of REST responses, by JSON.rawJSON.
set -euo pipefail
directory=$(mktemp --directory)
trap 'rm -rf "$directory"' EXIT
cd "$directory"
npm init --yes >npm.log
npm install --no-audit --no-fund fastify@5.12.8 postgres@3.4.9 \
  @electric-sql/pglite@0.5.14 @electric-sql/pglite-socket@0.2.17 >>npm.log

cat >show.mjs <<'END'
import { PGlite } from '@electric-sql/pglite'
import { PGLiteSocketServer } from '@electric-sql/pglite-socket'
import Fastify from 'fastify'
import { readFileSync } from 'node:fs'
import postgres from 'postgres'

const read = (name) => JSON.parse(readFileSync(`node_modules/${name}/package.json`, 'utf8')).version
console.log(`fastify ${read('fastify')}, fast-json-stringify ${read('fast-json-stringify')}, postgres ${read('postgres')}`)

const db = new PGlite()
const server = new PGLiteSocketServer({ db, path: `${process.cwd()}/.s.PGSQL.5432` })
await server.start()
const sql = postgres({ path: `${process.cwd()}/.s.PGSQL.5432`, username: 'postgres', max: 1 })

const app = Fastify()
const describe = (type) => ({ schema: { response: { 200: { type: 'object', properties: { id: { type } } } } } })
const selectId = async (id) => (await sql`select ${id}::int8 as id`)[0]
app.get('/integer/:id', describe('integer'), ({ params }) => selectId(params.id))
app.get('/nullable/:id', describe(['integer', 'null']), ({ params }) => selectId(params.id))
app.get('/bigint/:id', describe('integer'), ({ params }) => ({ id: BigInt(params.id) }))

console.log('postgres.js:', await selectId('9007199254740993'))
for (const url of ['/bigint/9007199254740993', '/integer/9007199254740993', '/nullable/9007199254740993', '/nullable/1']) {
  const { statusCode, payload } = await app.inject(url)
  console.log(`${url}: ${statusCode} ${statusCode === 200 ? payload : ''}`.trim())
}
await sql.end()
await server.stop()
await db.close()
END
node show.mjs | tee seen

diff - seen <<'END' || { echo 'This has changed.' >&2; exit 1; }
fastify 5.12.8, fast-json-stringify 7.3.10, postgres 3.4.9
postgres.js: { id: '9007199254740993' }
/bigint/9007199254740993: 200 {"id":9007199254740993}
/integer/9007199254740993: 200 {"id":9007199254740992}
/nullable/9007199254740993: 500
/nullable/1: 500
END
