-- inspectCluster, not prepared
begin

-- inspectCluster, not prepared
lock table "pets" in access share mode

-- inspectCluster, not prepared
select exists (select
  from pg_dist_partition
  where logicalrelid = 'pets'::regclass)::text

-- inspectCluster, not prepared
commit
