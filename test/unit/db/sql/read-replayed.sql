-- readReplayed, prepared
select (
  select to_hex(max("primary_timelines"."timeline"))
  from "primary_timelines"), case when pg_is_in_recovery() then (pg_last_wal_replay_lsn() - '0/0')::text end, (
  select system_identifier || '.' || oid
  from pg_control_system(), pg_database
  where datname = current_database()), extract(epoch
  from pg_postmaster_start_time())::text
