#!/usr/bin/env bash
# An operation may begin with a description (GraphQL specification of September 2025). A compiler that does not know this yet
# would report a syntax error.
# Relay's compiler leaves such an operation out: it reports nothing, ends with status 0, and writes no artifact. Before a
# variable, it accepts a description, and drops it. Before a fragment that follows an operation, it does report an error.
# Here: clients that use Relay (docs/frontends.md, "Types").
set -euo pipefail
directory=$(mktemp --directory)
trap 'rm -rf "$directory"' EXIT
cd "$directory"
npm init --yes >npm.log
npm install --no-audit --no-fund relay-compiler@21.0.1 graphql@17.1.0 >>npm.log

echo 'type Query { pets(first: Int): [Pet] } type Pet { id: ID! }' >schema.graphql
echo '{ "src": ".", "schema": "schema.graphql", "language": "typescript" }' >relay.config.json

compile() {
  echo "$2" >document.graphql
  node -e "require('graphql').parse(fs.readFileSync('document.graphql', 'utf8'))" # it is valid
  rm -rf __generated__
  printf 'import { graphql } from "relay-runtime"\ngraphql`%s`\n' "$2" >pets.ts
  local status=0
  npx relay-compiler --noWatchman >compiler.log 2>&1 || status=$?
  local error='no error' artifact='no artifact'
  if grep -q ERROR compiler.log; then error='an error'; fi
  if [ -e __generated__/petsQuery.graphql.ts ]; then artifact='an artifact'; fi
  echo "$1: status $status, $error, $artifact"
}

{
  echo "relay-compiler $(node -p "require('relay-compiler/package.json').version")"
  compile 'no description' 'query petsQuery($n: Int) { pets(first: $n) { id } }'
  compile 'of a variable' 'query petsQuery("How many." $n: Int) { pets(first: $n) { id } }'
  compile 'of an operation' '"The pets." query petsQuery($n: Int) { pets(first: $n) { id } }'
  compile 'of a fragment' 'query petsQuery { pets { ...pets_pet } } "A pet." fragment pets_pet on Pet { id }'
} | tee seen

diff - seen <<'END' || { echo 'This has changed.' >&2; exit 1; }
relay-compiler 21.0.1
no description: status 0, no error, an artifact
of a variable: status 0, no error, an artifact
of an operation: status 0, no error, no artifact
of a fragment: status 1, an error, no artifact
END
