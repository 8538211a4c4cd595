-- with api_keys, not prepared
-- $1 = shop, $2 = 1, $3 = 86400, $4 = shop, $5 = k3v9x2ab, $6 = shop, $7 = the-digest, $8 = 2027-01-01T00:00:00Z, $9 = 2027-01-01T00:00:00Z
with
  "newest" as (
    select
      "scope",
      "lifetime"
    from
      "api_keys"
    where
      (
        "api_keys"."name" = $1
        and (
          "api_keys"."expires_at" is null
          or "api_keys"."expires_at" > now()
        )
      )
    order by
      "api_keys"."created_at" desc
    limit
      $2
  ),
  "older" as (
    update "api_keys"
    set
      "expires_at" = least("api_keys"."expires_at", now() + $3::float8 * interval '1 second')
    where
      (
        "api_keys"."name" = $4
        and (
          "api_keys"."expires_at" is null
          or "api_keys"."expires_at" > now()
        )
      )
    returning
      "id"
  ),
  "created" as (
    insert into
      "api_keys" ("id", "name", "scope", "digest", "lifetime", "expires_at")
    select
      $5::text,
      $6::text,
      "newest"."scope",
      $7::text,
      coalesce($8::timestamptz - now(), "newest"."lifetime"),
      coalesce($9::timestamptz, now() + "newest"."lifetime")
    from
      "newest"
    where
      exists (
        select
        from
          "older"
      )
    returning
      "api_keys"."scope",
      "api_keys"."expires_at"
  )
select
  "scope",
  to_char("expires_at" at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')
from
  "created"
