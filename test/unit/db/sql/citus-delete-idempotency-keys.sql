-- deleteIdempotencyKeys, not prepared
delete from "idempotency_keys"
where "idempotency_keys"."created_at" < least(now() - interval '24 hours', (
    select min("idempotency_keys"."created_at") + interval '1 minute'
    from "idempotency_keys"))
