-- inspectCluster, not prepared
begin

-- inspectCluster, not prepared
lock table "idempotency_keys" in access share mode

-- inspectCluster, not prepared
select exists (select
  from pg_dist_partition
  where logicalrelid = 'idempotency_keys'::regclass)::text

-- inspectCluster, not prepared
commit
