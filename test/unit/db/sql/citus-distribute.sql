-- distributePets, not prepared
select extversion
from pg_extension
where extname = 'citus'

-- distributePets, not prepared
select citus_is_coordinator()::text, (
  select count(*)
  from pg_dist_node
  where isactive
  and shouldhaveshards
  and noderole = 'primary')::text, (
  select count(*)
  from pg_dist_shard
  where logicalrelid = 'pets'::regclass)::text

-- distributePets, not prepared
select pg_stat_clear_snapshot()

-- distributePets, not prepared
select count(*)::text
from pg_stat_activity
where datname = current_database()
and pid <> pg_backend_pid()
and application_name = 'pet-store'
and query not like '%pg_current_wal_lsn%'

-- distributePets, not prepared
lock table "pets", "idempotency_keys" in access exclusive mode

-- distributePets, not prepared
select count(*)::text
from "pets"

-- distributePets, not prepared
drop trigger "pet_created_or_deleted" on "pets"

-- distributePets, not prepared
drop trigger "pet_updated" on "pets"

-- distributePets, not prepared
drop trigger "pets_truncated" on "pets"

-- distributePets, not prepared
drop index "pets_status_id"

-- distributePets, not prepared
drop index "pets_category_id"

-- distributePets, not prepared
drop index "pets_status_category_id"

-- distributePets, not prepared
drop index "pets_name"

-- distributePets, not prepared
drop index "pets_status_name"

-- distributePets, not prepared
drop index "pets_category_name"

-- distributePets, not prepared
drop index "pets_status_category_name"

-- distributePets, not prepared
alter table "pets" add column "name_key" text collate "C" generated always as ((lower(left("name", 500) collate "pet_names") collate "C")) stored

-- distributePets, not prepared
select create_distributed_table('pets', 'id', colocate_with := 'none', shard_count := 32)

-- distributePets, not prepared
select truncate_local_data_after_distributing_table('pets')

-- distributePets, not prepared
create index "pets_status_id" on "pets" ("status", "id")

-- distributePets, not prepared
create index "pets_category_id" on "pets" ("category_id", "id")

-- distributePets, not prepared
create index "pets_status_category_id" on "pets" ("status", "category_id", "id")

-- distributePets, not prepared
create index "pets_name" on "pets" ("name_key", "id")

-- distributePets, not prepared
create index "pets_status_name" on "pets" ("status", "name_key", "id")

-- distributePets, not prepared
create index "pets_category_name" on "pets" ("category_id", "name_key", "id")

-- distributePets, not prepared
create index "pets_status_category_name" on "pets" ("status", "category_id", "name_key", "id")

-- distributePets, not prepared
select create_distributed_table('idempotency_keys', 'key', colocate_with := 'none', shard_count := 32)

-- distributePets, not prepared
select truncate_local_data_after_distributing_table('idempotency_keys')

-- distributePets, not prepared
analyze "pets"
