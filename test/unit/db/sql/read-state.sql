-- readState, not prepared
-- $1 = "crates", $2 = {"crates","api_keys","idempotency_keys"}, $3 = {"crates","api_keys","idempotency_keys"}
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
  pg_notification_queue_usage() >= 0.5,
  (
    select
      string_agg(name, ', ')
    from
      unnest($2::text[]) as name
    where
      to_regclass(quote_ident(name)) is null
  ),
  (
    select
      string_agg(name, ', ')
    from
      unnest($3::text[]) as name
    where
      not has_table_privilege(to_regclass(quote_ident(name)), 'select')
  )
