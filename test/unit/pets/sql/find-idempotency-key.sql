-- findIdempotencyKey, prepared
-- $1 = client, $2 = key
select "idempotency_keys"."fingerprint", "idempotency_keys"."item_id"
from "idempotency_keys"
where "idempotency_keys"."owner" = $1::text
and "idempotency_keys"."key" = $2::text
and "idempotency_keys"."created_at" > now() - interval '24 hours'
