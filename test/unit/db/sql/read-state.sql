-- readState, not prepared
-- $1 = crates, $2 = {"crates","api_keys","idempotency_keys"}, $3 = {"crates","api_keys","idempotency_keys"}, $4 = {"crates"}, $5 = {"crates"}
select
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
    to_regclass(quote_ident($1::text))::oid::text
  ) as "place",
  (
    select
      string_agg(name, ', ')
    from
      (
        select
          name,
          to_regclass(quote_ident(name)) as oid
        from
          unnest($2::text[]) as name
      ) as named
    where
      oid is null
  ) as "missing",
  (
    select
      string_agg(name, ', ')
    from
      (
        select
          name,
          to_regclass(quote_ident(name)) as oid
        from
          unnest($3::text[]) as name
      ) as named
    where
      not has_table_privilege(oid, 'select')
  ) as "hidden",
  current_setting('transaction_read_only') = 'on' as "isReadOnly",
  pg_notification_queue_usage() >= 0.5 as "isQueueHalfFull",
  exists (
    select
    from
      (
        select
          name,
          to_regclass(quote_ident(name)) as oid
        from
          unnest($4::text[]) as name
      ) as named
    where
      60 <> (
        select
          coalesce(bit_or(tgtype), 0) & 60
        from
          pg_trigger
          join pg_proc on pg_proc.oid = tgfoid
          and proname = 'send_events'
        where
          tgrelid = named.oid
          and tgenabled in ('O', 'A')
      )
  ) as "lacksTriggers",
  current_setting('session_replication_role') = 'replica'
  and exists (
    select
    from
      pg_trigger
      join pg_proc on pg_proc.oid = tgfoid
      and proname = 'send_events'
      join (
        select
          name,
          to_regclass(quote_ident(name)) as oid
        from
          unnest($5::text[]) as name
      ) as named on tgrelid = named.oid
    where
      tgenabled = 'O'
  ) as "skipsTriggers"
