-- createPetOnce, prepared
-- $1 = client, $2 = key, $3 = client, $4 = key, $5 = zJLK-NpqxlkOcvGdMIO_cvo14KKZ6FjJ2etlKSJImJA, $6 = Rex, $7 = 7, $8 = sold
with wanted as materialized (
  select nextval('pets_id_seq') as id, now() as at
  where pg_try_advisory_xact_lock(hashtextextended($1::text || ' ' || $2::text, 0))),
used as (
  insert into "idempotency_keys" ("owner", "key", "fingerprint", "pet_id", "created_at")
  select $3::text, $4::text, $5::text, id, at
  from wanted
  on conflict ("owner", "key") do update
  set "fingerprint" = excluded."fingerprint", "pet_id" = excluded."pet_id", "created_at" = excluded."created_at"
  where excluded."created_at" - "idempotency_keys"."created_at" >= interval '24 hours'
  returning "idempotency_keys"."pet_id")
insert into "pets" ("id", "name", "category_id", "status") overriding system value
select "pet_id", $6::text, $7::bigint, $8::pet_status
from used
returning "pets"."id"

-- findIdempotencyKey, prepared
-- $1 = client, $2 = key
select "idempotency_keys"."fingerprint", "idempotency_keys"."pet_id"
from "idempotency_keys"
where "idempotency_keys"."owner" = $1::text
and "idempotency_keys"."key" = $2::text
and "idempotency_keys"."created_at" > now() - interval '24 hours'
