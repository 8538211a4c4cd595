-- distribute, not prepared
select extversion
from pg_extension
where extname = 'citus'

-- distribute, not prepared
select citus_is_coordinator()::text, (
  select count(*)
  from pg_dist_node
  where isactive
  and shouldhaveshards
  and noderole = 'primary')::text, (
  select count(*)
  from pg_dist_shard
  where logicalrelid = 'idempotency_keys'::regclass)::text

-- distribute, not prepared
select pg_stat_clear_snapshot()

-- distribute, not prepared
select count(*)::text
from pg_stat_activity
where datname = current_database()
and pid <> pg_backend_pid()
and application_name = 'pet-store'
and query not like '%pg_current_wal_lsn%'

-- distribute, not prepared
lock table "pets", "idempotency_keys" in access exclusive mode

-- distribute, not prepared
select count(*)::text
from "pets"

-- distribute, not prepared
do $$ declare name text; begin for name in
select tgname
from pg_trigger
where tgrelid = 'pets'::regclass
and not tgisinternal loop execute format('drop trigger %I on %I', name, 'pets'); end loop; end $$

-- distribute, not prepared
drop index "pets_status_id"

-- distribute, not prepared
drop index "pets_category_id"

-- distribute, not prepared
drop index "pets_status_category_id"

-- distribute, not prepared
drop index "pets_name"

-- distribute, not prepared
drop index "pets_status_name"

-- distribute, not prepared
drop index "pets_category_name"

-- distribute, not prepared
drop index "pets_status_category_name"

-- distribute, not prepared
select create_distributed_table('pets', 'id', colocate_with := 'none', shard_count := 32)

-- distribute, not prepared
select truncate_local_data_after_distributing_table('pets')

-- distribute, not prepared
create index "pets_status_id" on "pets" ("status", "id")

-- distribute, not prepared
create index "pets_category_id" on "pets" ("category_id", "id")

-- distribute, not prepared
create index "pets_status_category_id" on "pets" ("status", "category_id", "id")

-- distribute, not prepared
create index "pets_name" on "pets" ("name_key", "id")

-- distribute, not prepared
create index "pets_status_name" on "pets" ("status", "name_key", "id")

-- distribute, not prepared
create index "pets_category_name" on "pets" ("category_id", "name_key", "id")

-- distribute, not prepared
create index "pets_status_category_name" on "pets" ("status", "category_id", "name_key", "id")

-- distribute, not prepared
select create_distributed_table('idempotency_keys', 'key', colocate_with := 'none', shard_count := 32)

-- distribute, not prepared
select truncate_local_data_after_distributing_table('idempotency_keys')

-- distribute, not prepared
analyze "pets"
