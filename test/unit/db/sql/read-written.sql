-- readWritten, not prepared
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
  (pg_current_wal_lsn() - '0/0')::text
