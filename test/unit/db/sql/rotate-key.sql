-- rotateKey, prepared
-- $1 = 86400, $2 = shop, $3 = k3v9x2ab, $4 = shop, $5 = the-digest, $6 = 2027-01-01T00:00:00Z
with older as (update "api_keys"
  set "expires_at" = least("api_keys"."expires_at", now() + $1::float8 * interval '1 second')
  where "api_keys"."name" = $2::text
  and ("api_keys"."expires_at" is null or "api_keys"."expires_at" > now())
  returning "api_keys"."scope", "api_keys"."created_at")
insert into "api_keys" ("id", "name", "scope", "digest", "expires_at")
select $3::text, $4::text, "scope", $5::text, $6::timestamptz
from older
order by "created_at" desc
limit 1
returning "api_keys"."scope"
