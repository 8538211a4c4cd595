-- migrateDatabase, not prepared
select current_setting('server_encoding'), to_regclass('drizzle.__drizzle_migrations')::text, (
  select true
  from pg_extension
  where extname = 'citus')::text

-- migrateDatabase, not prepared
select max("created_at")
from "drizzle"."__drizzle_migrations"

-- migrateDatabase, not prepared
select pg_try_advisory_lock(7138250117)::text

-- migrateDatabase, not prepared
set lock_timeout = 0

-- migrateDatabase, not prepared
create schema if not exists drizzle

-- migrateDatabase, not prepared
create table if not exists "drizzle"."__drizzle_migrations" ("id" serial primary key, "hash" text not null, "created_at" bigint)

-- migrateDatabase, not prepared
begin

-- migrateDatabase, not prepared
set local lock_timeout = '1s'

-- migrateDatabase, not prepared
insert into "drizzle"."__drizzle_migrations" ("hash", "created_at") values ($1::text, $2::bigint)

-- migrateDatabase, not prepared
commit

-- migrateDatabase, not prepared
select pg_advisory_unlock(7138250117)
