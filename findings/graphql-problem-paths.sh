#!/usr/bin/env bash
# graphql-js 17 has validateInputValue, which tells each problem of a value with its path. One would expect the path of the
# field that is wrong, so that a form can mark it, also if that field is missing or unknown.
# For those two, the path is that of the object around it, so the name of the field is in the English message alone.
# Here: src/graphql/variables/variable-problems.ts finds the path of each problem, and a property test compares what it finds.
set -euo pipefail
directory=$(mktemp --directory)
trap 'rm -rf "$directory"' EXIT
cd "$directory"
npm init --yes >npm.log
npm install --no-audit --no-fund graphql@17.1.0 >>npm.log

cat >show.mjs <<'END'
import { buildSchema, validateInputValue, version } from 'graphql'

console.log(`graphql ${version}`)
const schema = buildSchema('type Query { ok: Boolean } input Toy { name: String! size: Int }')
const type = schema.getType('Toy')
for (const value of [{ name: 'ball', size: 'large' }, { size: 1 }, { name: 'ball', sise: 1 }])
  validateInputValue(value, type, ({ message }, path) => {
    console.log(`${JSON.stringify(value)}: ${JSON.stringify(path)} ${message}`)
  })
END
node show.mjs | tee seen

diff - seen <<'END' || { echo 'This has changed.' >&2; exit 1; }
graphql 17.1.0
{"name":"ball","size":"large"}: ["size"] Int cannot represent non-integer value: "large"
{"size":1}: [] Expected value of type "Toy" to include required field "name", found: { size: 1 }.
{"name":"ball","sise":1}: [] Expected value of type "Toy" not to include unknown field "sise". Did you mean "size"? Found: { name: "ball", sise: 1 }.
END
