-- loadKeys, prepared
select "api_keys"."name", "api_keys"."scope", "api_keys"."digest", extract(epoch
  from "api_keys"."expires_at") * 1000
from "api_keys"
where ("api_keys"."expires_at" is null or "api_keys"."expires_at" > now())
