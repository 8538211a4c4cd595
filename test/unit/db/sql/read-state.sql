-- readState, not prepared
-- $1 = "crates"
select
  current_setting('transaction_read_only'),
  concat_ws(
    ' ',
    (
      select
        system_identifier || '.' || oid
      from
        pg_control_system(),
        pg_database
      where
        datname = current_database()
    ),
    to_regclass($1::text)::oid::text
  ),
  pg_notification_queue_usage() >= 0.5
