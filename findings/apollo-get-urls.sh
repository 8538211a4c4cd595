#!/usr/bin/env bash
# A query that is sent by GET can be cached by its URL. One would expect the same query to have the same URL next month.
# Apollo Client 4.3 writes its own version into the URL of each query, as a parameter "extensions", without being asked. So
# each upgrade of the library empties all caches, and pages of two versions share nothing.
# Here: docs/frontends.md, "Trusted documents", says how to leave it out.
set -euo pipefail
directory=$(mktemp --directory)
trap 'rm -rf "$directory"' EXIT
cd "$directory"
npm init --yes >npm.log
npm install --no-audit --no-fund @apollo/client@4.3.8 graphql@17.1.0 rxjs@7.8.2 >>npm.log

cat >show.mjs <<'END'
import { ApolloClient, gql, HttpLink, InMemoryCache } from '@apollo/client'

async function show(name, enhancedClientAwareness) {
  const link = new HttpLink({
    uri: 'http://localhost/graphql',
    useGETForQueries: true,
    ...enhancedClientAwareness,
    async fetch(url) {
      console.log(`${name}: ${Array.from(new URL(url).searchParams, (entry) => entry.join('=')).join(' & ').replace(/\s+/g, ' ')}`)
      return new Response('{"data": {"a": 1}}', { headers: { 'content-type': 'application/json' } })
    },
  })
  await new ApolloClient({ cache: new InMemoryCache(), link }).query({ query: gql`query A { a }` })
}
await show('by default')
await show('without', { enhancedClientAwareness: { transport: false } })
END
node show.mjs | tee seen

diff - seen <<'END' || { echo 'This has changed.' >&2; exit 1; }
by default: query=query A { a } & operationName=A & variables={} & extensions={"clientLibrary":{"name":"@apollo/client","version":"4.3.8"}}
without: query=query A { a } & operationName=A & variables={}
END
