-- Distributes the tables, with all their rows, over the workers of a Citus cluster. Run it once: docs/cluster.md, "Citus".
begin;
lock table pets, idempotency_keys in access exclusive mode;

-- A server finds out only when it starts whether the tables are distributed.
do $$ begin
  if exists (select from pg_dist_partition where logicalrelid = 'pets'::regclass) then
    raise 'The tables are distributed already. Nothing was changed.';
  end if;
  if exists (select from pg_stat_activity where datname = current_database() and application_name = 'pet-store') then
    raise 'Servers are connected. Stop them, and close connections that a pooler keeps open. Nothing was changed.';
  end if;
end $$;

-- Distributed tables cannot have triggers: from now on, servers send the events of their own writes.
drop trigger pets_created on pets;
drop trigger pets_changed on pets;
drop trigger pets_truncated on pets;

select create_distributed_table('pets', 'id', colocate_with := 'none');
-- Otherwise the coordinator would keep the rows.
select truncate_local_data_after_distributing_table('pets');

-- It grows with the number of creations, so it is distributed, too. A creation commits in two phases, since its key and its item are in different
-- shards. All other tables stay on the coordinator.
select create_distributed_table('idempotency_keys', 'key', colocate_with := 'none');
select truncate_local_data_after_distributing_table('idempotency_keys');
commit;

analyze pets;
