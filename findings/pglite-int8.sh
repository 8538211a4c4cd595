#!/usr/bin/env bash
# One would expect PGlite to return every int8 as the same type: a string, as postgres.js and node-postgres do, or a BigInt.
# The type depends on the value, also within one array: a number up to 2^53-1, a BigInt beyond. So code that is tested with
# small ids adds 1, compares by === and writes JSON, and fails with large ones. A sum of int8 is numeric, so it is a string.
# Here: the embedded database is read by postgres.js, through a socket (docs/decisions.md, 20), so each int8 is a string.
set -euo pipefail
directory=$(mktemp --directory)
trap 'rm -rf "$directory"' EXIT
cd "$directory"
npm init --yes >npm.log
npm install --no-audit --no-fund @electric-sql/pglite@0.5.17 >>npm.log

cat >show.mjs <<'END'
import { PGlite } from '@electric-sql/pglite'
import { readFileSync } from 'node:fs'

console.log(`pglite ${JSON.parse(readFileSync('node_modules/@electric-sql/pglite/package.json', 'utf8')).version}`)
const db = new PGlite()
const select = async (value) => (await db.query(`select ${value} as value`)).rows[0].value
for (const value of ['1::int8', '9007199254740993::int8', 'count(*)', 'sum(1::int8)'])
  console.log(`${value}: ${typeof (await select(value))}`)
const list = await select('array[1, 9007199254740993]::int8[]')
console.log(`an array: ${list.map((item) => typeof item)}`)
for (const id of list) {
  try {
    console.log(`${JSON.stringify({ next: id + 1 })}`)
  } catch ({ message }) {
    console.log(message)
  }
}
await db.close()
END
node show.mjs | tee seen

diff - seen <<'END' || { echo 'This has changed.' >&2; exit 1; }
pglite 0.5.17
1::int8: number
9007199254740993::int8: bigint
count(*): number
sum(1::int8): string
an array: number,bigint
{"next":2}
Cannot mix BigInt and other types, use explicit conversions
END
