-- select api_keys, not prepared
select
  "id",
  "name",
  "scope",
  to_char("created_at" at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'),
  to_char("expires_at" at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'),
  to_char("last_used_at" at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')
from
  "api_keys"
order by
  "api_keys"."created_at",
  "api_keys"."id"
