-- createPetOnce, prepared
-- $1 = client, $2 = key, $3 = 98DvZRbxb7HMvaboWUoCNQM4QieMH-iJohH11mhsemo, $4 = client, $5 = key, $6 = client, $7 = key, $8 = Rex, $9 = 7, $10 = sold
with used as (
  insert into "idempotency_keys" ("owner", "key", "fingerprint", "item_id", "created_at")
  select $1::text, $2::text, $3::text, nextval('pets_id_seq'), now()
  where pg_try_advisory_xact_lock(hashtextextended($4::text || ' ' || $5::text, 0))
  on conflict ("owner", "key") do update
  set "fingerprint" = excluded."fingerprint", "item_id" = excluded."item_id", "created_at" = excluded."created_at"
  where "idempotency_keys"."created_at" <= now() - interval '24 hours'
  returning "idempotency_keys"."item_id"),
deleted as (
  delete from "idempotency_keys"
  where ("owner", "key") in (
    select "owner", "key"
    from "idempotency_keys"
    where "idempotency_keys"."created_at" < now() - interval '24 hours'
    and ("owner", "key") <> ($6::text, $7::text)
    order by "idempotency_keys"."created_at"
    limit 20 for update skip locked))
insert into "pets" ("id", "name", "category_id", "status") overriding system value
select "item_id", $8::text, $9::bigint, $10::pet_status
from used
returning "pets"."id", "pets"."name_key"
