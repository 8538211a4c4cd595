-- findIdempotencyKey, prepared
-- $1 = client, $2 = key
select "fingerprint", "item_id"
from "idempotency_keys"
where ("idempotency_keys"."owner" = $1
  and "idempotency_keys"."key" = $2
  and "idempotency_keys"."created_at" > now() - interval '24 hours')
