#!/usr/bin/env bash
# Drizzle's insert has overridingSystemValue(), which TypeScript also accepts before select(). One would expect the SQL to say
# so in both cases.
# Before values(), it does; before select(), it is dropped, so Postgres refuses to write the ids of an identity column.
# Here: ids are bigserial (src/db/columns.ts), into which an import may write the ids of a file without such a clause.
set -euo pipefail
directory=$(mktemp --directory)
trap 'rm -rf "$directory"' EXIT
cd "$directory"
npm init --yes >npm.log
npm install --no-audit --no-fund drizzle-orm@0.45.4 @electric-sql/pglite@0.5.17 >>npm.log

cat >show.mjs <<'END'
import { sql } from 'drizzle-orm'
import { bigint, pgTable, text } from 'drizzle-orm/pg-core'
import { drizzle } from 'drizzle-orm/pglite'
import { readFileSync } from 'node:fs'

console.log(`drizzle-orm ${JSON.parse(readFileSync('node_modules/drizzle-orm/package.json', 'utf8')).version}`)
const pets = pgTable('pets', { id: bigint({ mode: 'bigint' }).generatedAlwaysAsIdentity(), name: text() })
const db = drizzle()
await db.execute(sql`create table pets (id bigint generated always as identity, name text)`)
const inserts = [
  db.insert(pets).overridingSystemValue().values({ id: 5n, name: 'Rex' }),
  db.insert(pets).overridingSystemValue().select(sql`select 6, 'Max'`),
]
for (const insert of inserts) {
  console.log(insert.toSQL().sql)
  await insert.catch(({ cause }) => console.log(`${cause.code}: ${cause.message}`))
}
await db.$client.close()
END
node show.mjs | tee seen

diff - seen <<'END' || { echo 'This has changed.' >&2; exit 1; }
drizzle-orm 0.45.4
insert into "pets" ("id", "name") overriding system value values ($1, $2)
insert into "pets" ("id", "name") select 6, 'Max'
428C9: cannot insert a non-DEFAULT value into column "id"
END
