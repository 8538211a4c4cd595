-- createPetOnce, prepared
-- $1 = client, $2 = key, $3 = client, $4 = key, $5 = 98DvZRbxb7HMvaboWUoCNQM4QieMH-iJohH11mhsemo, $6 = Rex, $7 = 7, $8 = sold
with wanted as materialized (
  select nextval('pets_id_seq') as id, now() as at
  where pg_try_advisory_xact_lock(hashtextextended($1::text || ' ' || $2::text, 0))), used (id) as (
  insert into "idempotency_keys" ("owner", "key", "fingerprint", "item_id", "created_at")
  select $3::text, $4::text, $5::text, id, at
  from wanted
  on conflict ("owner", "key") do update
  set "fingerprint" = excluded."fingerprint", "item_id" = excluded."item_id", "created_at" = excluded."created_at"
  where excluded."created_at" - "idempotency_keys"."created_at" >= interval '24 hours'
  returning "idempotency_keys"."item_id")
insert into "pets" ("id", "name", "category_id", "status")
select used.id, $6::varchar, $7::bigint, $8::pet_status
from used
returning "pets"."id", "pets"."name", "pets"."category_id", "pets"."status", "pets"."name_key"

-- deleteIdempotencyKeys, not prepared
delete from "idempotency_keys"
where "idempotency_keys"."created_at" >= (
  select min("idempotency_keys"."created_at")
  from "idempotency_keys")
and "idempotency_keys"."created_at" < least(now() - interval '24 hours', (
    select min("idempotency_keys"."created_at")
    from "idempotency_keys") + interval '10 seconds')

-- findIdempotencyKey, prepared
-- $1 = client, $2 = key
select "fingerprint", "item_id"
from "idempotency_keys"
where ("idempotency_keys"."owner" = $1
  and "idempotency_keys"."key" = $2
  and "idempotency_keys"."created_at" > now() - interval '24 hours')
