-- readWhetherDistributed, not prepared
select exists (select
  from pg_dist_partition
  where logicalrelid = 'idempotency_keys'::regclass)::text
