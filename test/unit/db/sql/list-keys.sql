-- listKeys, not prepared
select "api_keys"."id", "api_keys"."name", "api_keys"."scope", to_char("api_keys"."created_at" at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'), to_char("api_keys"."expires_at" at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'), to_char("api_keys"."last_used_at" at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')
from "api_keys"
order by "api_keys"."created_at", "api_keys"."id"
