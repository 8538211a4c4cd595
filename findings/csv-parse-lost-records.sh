#!/usr/bin/env bash
# A CSV file has a misplaced quote in its last line. One would expect that csv-parse's async iterator gives the records before that
# line, and then throws the error, which names the line.
# It throws the error first: the records that it has parsed are lost with the stream, as many as one chunk and its buffers hold. So a
# program that reports bad lines reports only the last one, and does not know how far the file was good. `on_record` gets them all.
# Here: src/transfer/csv.ts takes records by on_record, and returns them before it throws.
set -euo pipefail
directory=$(mktemp --directory)
trap 'rm -rf "$directory"' EXIT
cd "$directory"
npm init --yes >npm.log
npm install --no-audit --no-fund csv-parse@7.0.3 >>npm.log

cat >show.mjs <<'END'
import { parse } from 'csv-parse'
import { createReadStream, readFileSync, writeFileSync } from 'node:fs'

console.log('csv-parse', JSON.parse(readFileSync('node_modules/csv-parse/package.json', 'utf8')).version)

for (const good of [3, 1_000]) {
  writeFileSync('pets.csv', `${'Rex,7\n'.repeat(good)}Re"x,7\n`)
  let [parsed, iterated] = [0, 0]
  const on_record = (record) => {
    parsed += 1
    return record
  }
  const parser = createReadStream('pets.csv').pipe(parse({ on_record }))
  try {
    for await (const _ of parser) iterated += 1
  } catch ({ code, lines }) {
    console.log(`${good} good lines: ${parsed} parsed, ${iterated} iterated, then ${code} in line ${lines}`)
  }
}
END
node show.mjs | tee seen

diff - seen <<'END' || { echo 'This has changed.' >&2; exit 1; }
csv-parse 7.0.3
3 good lines: 3 parsed, 0 iterated, then INVALID_OPENING_QUOTE in line 4
1000 good lines: 1000 parsed, 0 iterated, then INVALID_OPENING_QUOTE in line 1001
END
