-- with api_keys, not prepared
-- $1 = shop, $2 = 2027-01-01T00:00:00Z, $3 = 2027-01-01T00:00:00Z, $4 = 86400, $5 = shop, $6 = k3v9x2ab, $7 = shop, $8 = the-digest
with
  newest (scope, lifetime) as (
    select
      "api_keys"."scope",
      "api_keys"."lifetime"
    from
      "api_keys"
    where
      "api_keys"."name" = $1::text
      and (
        "api_keys"."expires_at" is null
        or "api_keys"."expires_at" > now()
      )
    order by
      "api_keys"."created_at" desc
    limit
      1
  ),
  granted (scope, lifetime, expires) as (
    select
      scope,
      coalesce($2::timestamptz - now(), lifetime),
      coalesce($3::timestamptz, now() + lifetime)
    from
      newest
  ),
  older as (
    update "api_keys"
    set
      "expires_at" = least("api_keys"."expires_at", now() + $4::float8 * interval '1 second')
    where
      "api_keys"."name" = $5::text
      and (
        "api_keys"."expires_at" is null
        or "api_keys"."expires_at" > now()
      )
    returning
      "api_keys"."id"
  )
insert into
  "api_keys" ("id", "name", "scope", "digest", "lifetime", "expires_at")
select
  $6::text,
  $7::text,
  granted.scope,
  $8::text,
  granted.lifetime,
  granted.expires
from
  granted
where
  exists (
    select
    from
      older
  )
returning
  "api_keys"."scope",
  to_char("api_keys"."expires_at" at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as expires
