-- deleteIdempotencyKeys, not prepared
delete from "idempotency_keys"
where "idempotency_keys"."created_at" < now() - interval '24 hours'
