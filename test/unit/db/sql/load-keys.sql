-- select api_keys, not prepared
select
  "name",
  "scope",
  "digest",
  extract(
    epoch
    from
      "expires_at"
  ) * 1000
from
  "api_keys"
where
  (
    "api_keys"."expires_at" is null
    or "api_keys"."expires_at" > now()
  )
