#!/usr/bin/env bash
# Spreadsheets write texts of several lines in quotes, with the line breaks of Windows (CR LF). One would expect that csv-parse counts such a
# line break once, as it counts those between records: the number of a bad line is what its user looks for.
# It counts each CR LF in quotes as two lines, and every later record is off by all that came before it; CR LF between records, and LF in
# quotes, count once.
# Here: src/transfer/csv.ts subtracts them, and takes the number out of csv-parse's message.
set -euo pipefail
directory=$(mktemp --directory)
trap 'rm -rf "$directory"' EXIT
cd "$directory"
npm init --yes >npm.log
npm install --no-audit --no-fund csv-parse@7.0.3 >>npm.log

cat >show.mjs <<'END'
import { parse } from 'csv-parse/sync'
import { readFileSync } from 'node:fs'

console.log('csv-parse', JSON.parse(readFileSync('node_modules/csv-parse/package.json', 'utf8')).version)

for (const [name, newline] of Object.entries({ LF: '\n', 'CR LF': '\r\n' })) {
  const text = ['name,note', 'Rex,"kind', 'and old"', 'Max,"a', 'b', 'c"', 'Bella,none', ''].join(newline)
  const records = parse(text, { info: true, record_delimiter: newline })
  const ends = records.map(({ record, info }) => `${record[0]} ends in line ${info.lines}`)
  console.log(`${name}: ${ends.join(', ')}; there are ${text.split('\n').length - 1} lines`)
}
END
node show.mjs | tee seen

diff - seen <<'END' || { echo 'This has changed.' >&2; exit 1; }
csv-parse 7.0.3
LF: name ends in line 1, Rex ends in line 3, Max ends in line 6, Bella ends in line 7; there are 7 lines
CR LF: name ends in line 1, Rex ends in line 4, Max ends in line 9, Bella ends in line 10; there are 7 lines
END
