-- with api_keys, not prepared
-- $1 = shop, $2 = 86400, $3 = shop, $4 = k3v9x2ab, $5 = shop, $6 = the-digest, $7 = 2027-01-01T00:00:00Z, $8 = 2027-01-01T00:00:00Z
with
  newest as (
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
  older as (
    update "api_keys"
    set
      "expires_at" = least("api_keys"."expires_at", now() + $2::float8 * interval '1 second')
    where
      "api_keys"."name" = $3::text
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
  $4::text,
  $5::text,
  "scope",
  $6::text,
  coalesce($7::timestamptz - now(), "lifetime"),
  coalesce($8::timestamptz, now() + "lifetime")
from
  newest
where
  exists (
    select
    from
      older
  )
returning
  "api_keys"."scope",
  to_char("api_keys"."expires_at" at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as expires
