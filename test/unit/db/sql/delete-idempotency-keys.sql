-- deleteIdempotencyKeys, not prepared
delete from "idempotency_keys"
where "idempotency_keys"."created_at" >= (
  select min("idempotency_keys"."created_at")
  from "idempotency_keys")
and "idempotency_keys"."created_at" < least(now() - interval '24 hours', (
    select min("idempotency_keys"."created_at")
    from "idempotency_keys") + interval '10 seconds')
