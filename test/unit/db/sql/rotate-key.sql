-- begin, not prepared
begin

-- lockKeys, not prepared
lock table "api_keys" in share row exclusive mode

-- select api_keys, not prepared
-- $1 = shop, $2 = 1
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

-- update api_keys, not prepared
-- $1 = 86400, $2 = shop
update "api_keys"
set
  "expires_at" = least("api_keys"."expires_at", now() + $1::float8 * interval '1 second')
where
  (
    "api_keys"."name" = $2
    and (
      "api_keys"."expires_at" is null
      or "api_keys"."expires_at" > now()
    )
  )

-- insert api_keys, not prepared
-- $1 = k3v9x2ab, $2 = shop, $3 = read, $4 = the-digest, $5 = 3600, $6 = 90 days, $7 = 3600, $8 = 90 days
insert into
  "api_keys" ("id", "name", "scope", "digest", "created_at", "expires_at", "lifetime", "last_used_at")
values
  (
    $1,
    $2,
    $3,
    $4,
    default,
    coalesce(now() + $5::float8 * interval '1 second', now() + $6::interval),
    coalesce(now() + $7::float8 * interval '1 second' - now(), $8::interval),
    default
  )
returning
  "scope",
  to_char("expires_at" at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')

-- commit, not prepared
commit
