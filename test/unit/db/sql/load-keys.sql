-- select api_keys, not prepared
select
  "name",
  "scope",
  "digest",
  date_part('epoch', "expires_at" - now()) * 1000
from
  "api_keys"
where
  (
    "api_keys"."expires_at" is null
    or "api_keys"."expires_at" > now()
  )
