#!/usr/bin/env bash
# One would expect Postgres to stop planning a prepared statement after five executions if its plan never differs.
# With an array parameter, that depends on the length of the array. For the generic plan, Postgres assumes 10 elements; for a
# call, it knows how many there are. So with up to 8, a plan for the call always looks cheaper, even with the time that
# planning takes, and every call is planned again, for good. `(select $1)` hides the length, so the generic plan is kept.
# Here: docs/decisions.md, 14. It applies to every `= any($1)` and `unnest($1)` of ids.
set -euo pipefail
directory=$(mktemp --directory)
trap 'rm -rf "$directory"' EXIT
cd "$directory"
npm init --yes >npm.log
npm install --no-audit --no-fund @electric-sql/pglite@0.5.17 >>npm.log

cat >show.mjs <<'END'
import { PGlite } from '@electric-sql/pglite'

const db = new PGlite()
console.log(`PostgreSQL ${(await db.query('show server_version')).rows[0].server_version}`)
await db.exec(`
  create table pets (id int8 primary key, name text);
  insert into pets select id, 'pet ' || id from generate_series(1, 20000) as id;
  analyze pets;
`)
const texts = ['select * from pets where id = any($1)', 'select * from pets where id = any((select $1)::int8[])']
for (const [index, text] of texts.entries())
  for (const length of [3, 8, 9]) {
    const name = `statement_${index}_${length}`
    await db.exec(`prepare ${name} (int8[]) as ${text}`)
    for (let call = 0; call < 200; call += 1) {
      const ids = Array.from({ length }, (_, item) => 1 + call * 20 + item)
      await db.exec(`execute ${name} ('{${ids}}')`)
    }
    const { rows } = await db.query('select * from pg_prepared_statements where name = $1', [name])
    console.log(`${text}, ${length} ids: planned for ${rows[0].custom_plans} of 200 calls`)
  }
await db.close()
END
node show.mjs | tee seen

diff - seen <<'END' || { echo 'This has changed.' >&2; exit 1; }
PostgreSQL 18.7
select * from pets where id = any($1), 3 ids: planned for 200 of 200 calls
select * from pets where id = any($1), 8 ids: planned for 200 of 200 calls
select * from pets where id = any($1), 9 ids: planned for 5 of 200 calls
select * from pets where id = any((select $1)::int8[]), 3 ids: planned for 5 of 200 calls
select * from pets where id = any((select $1)::int8[]), 8 ids: planned for 5 of 200 calls
select * from pets where id = any((select $1)::int8[]), 9 ids: planned for 5 of 200 calls
END
