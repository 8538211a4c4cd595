-- readReplayed, not prepared
select
  (
    select
      system_identifier || '.' || oid
    from
      pg_control_system(),
      pg_database
    where
      datname = current_database()
  ),
  case
    when pg_is_in_recovery() then (pg_last_wal_replay_lsn() - '0/0')::text
  end
