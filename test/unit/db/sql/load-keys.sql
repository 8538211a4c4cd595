-- loadKeys, prepared
select "api_keys"."name", "api_keys"."scope", "api_keys"."digest", to_char("api_keys"."expires_at" at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')
from "api_keys"
where ("api_keys"."expires_at" is null or "api_keys"."expires_at" > now())
