-- migrateDatabase, not prepared
select
  current_setting('server_encoding'),
  to_regclass('pet_store_migrations')::text,
  current_schema()

-- migrateDatabase, not prepared
select
  pg_try_advisory_lock(7138250117)

-- migrateDatabase, not prepared
begin

-- migrateDatabase, not prepared
select
  set_config('lock_timeout', (setting::int + 1000)::text, true)
from
  pg_settings
where
  name = 'deadlock_timeout'

-- migrateDatabase, not prepared
create table "pet_store_migrations" (id serial primary key, hash text not null, created_at bigint)

-- migrateDatabase, not prepared
insert into
  "pet_store_migrations" (hash, created_at)
values
  ($1, $2)

-- migrateDatabase, not prepared
commit

-- migrateDatabase, not prepared
select
  pg_advisory_unlock(7138250117)
