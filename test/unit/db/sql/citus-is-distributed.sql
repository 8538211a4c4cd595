-- migrateDatabase, not prepared
begin

-- migrateDatabase, not prepared
lock table "idempotency_keys" in access share mode

-- migrateDatabase, not prepared
select exists (select
  from pg_dist_partition
  where logicalrelid = 'idempotency_keys'::regclass)::text

-- migrateDatabase, not prepared
commit
