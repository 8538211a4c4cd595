-- migrateDatabase, not prepared
select current_setting('server_encoding'), nspname, coalesce(nspname, current_schema())
from (
  select to_regclass('pet_store_migrations') as record) as named left join pg_class on oid = record left join pg_namespace on pg_namespace.oid = relnamespace

-- migrateDatabase, not prepared
select pg_try_advisory_lock(7138250117)::text

-- migrateDatabase, not prepared
CREATE SCHEMA IF NOT EXISTS "public"

-- migrateDatabase, not prepared
CREATE TABLE IF NOT EXISTS "public"."pet_store_migrations" (id SERIAL PRIMARY KEY, hash text NOT NULL, created_at bigint)

-- migrateDatabase, not prepared
select id, hash, created_at
from "public"."pet_store_migrations"
order by created_at desc
limit 1

-- migrateDatabase, not prepared
begin

-- migrateDatabase, not prepared
set local lock_timeout = '1s'

-- migrateDatabase, not prepared
insert into "public"."pet_store_migrations" ("hash", "created_at") values($1, $2)

-- migrateDatabase, not prepared
commit

-- migrateDatabase, not prepared
select pg_advisory_unlock(7138250117)
