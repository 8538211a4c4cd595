-- startChecks, not prepared
-- $1 = {"crates","api_keys","idempotency_keys"}
select
  pg_is_in_recovery() as "isStandby",
  current_user as "user",
  (
    select
      string_agg(
        relname,
        ', '
        order by
          relname
      )
    from
      pg_class
      join (
        select
          name,
          to_regclass(quote_ident(name)) as oid
        from
          unnest($1::text[]) as name
      ) as named using (oid)
    where
      row_security_active(oid)
      and not coalesce(
        (
          select
            bool_and(polpermissive)
            and bool_or(
              polcmd = '*'
              and pg_get_expr(polqual, polrelid) = 'true'
              and coalesce(pg_get_expr(polwithcheck, polrelid), 'true') = 'true'
            )
          from
            pg_policy
          where
            polrelid = pg_class.oid
            and exists (
              select
              from
                unnest(polroles) as role
              where
                role = 0
                or pg_has_role(role, 'usage')
            )
        ),
        false
      )
  ) as "secured",
  to_regclass('pg_dist_partition') is not null as "hasCitus",
  coalesce(has_function_privilege(to_regprocedure('pg_control_system()'), 'execute'), false) as "mayIdentify",
  current_setting('default_transaction_isolation') as "default_transaction_isolation",
  current_setting('array_nulls') as "array_nulls"

-- findDistributed, not prepared
-- $1 = idempotency_keys
select
  logicalrelid
from
  pg_dist_partition
where
  logicalrelid = $1::regclass
