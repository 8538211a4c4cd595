-- migrateDatabase, not prepared
select current_setting('server_encoding'), to_regclass('drizzle.__drizzle_migrations')::text

-- migrateDatabase, not prepared
select max("created_at")
from "drizzle"."__drizzle_migrations"

-- migrateDatabase, not prepared
select pg_advisory_lock(7138250117)

-- migrateDatabase, not prepared
select pg_advisory_unlock(7138250117)
