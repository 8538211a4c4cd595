-- createPetsOnce, prepared
-- $1 = {"client"}, $2 = {"key"}, $3 = {"98DvZRbxb7HMvaboWUoCNQM4QieMH-iJohH11mhsemo"}, $4 = {"Rex"}, $5 = {"7"}, $6 = {"sold"}
with requested as materialized (
  select nextval('pets_id_seq') as "id", *
  from unnest($1::text[], $2::text[], $3::text[], $4::varchar[], $5::bigint[], $6::pet_status[]) with ordinality as request ("idempotency.owner", "idempotency.key", "idempotency.fingerprint", "name", "category_id", "status", "idempotency.number")), claimed (id) as (
  insert into "idempotency_keys" ("owner", "key", "fingerprint", "item_id", "created_at")
  select "idempotency.owner", "idempotency.key", "idempotency.fingerprint", "id", now()
  from requested
  where pg_try_advisory_xact_lock(hashtextextended("idempotency.owner" || ' ' || "idempotency.key", 0))
  on conflict ("owner", "key") do update
  set "fingerprint" = excluded."fingerprint", "item_id" = excluded."item_id", "created_at" = excluded."created_at"
  where excluded."created_at" - "idempotency_keys"."created_at" >= interval '24 hours'
  returning "idempotency_keys"."item_id"),
created as (
  insert into "pets" ("id", "name", "category_id", "status")
  select "id", "name", "category_id", "status"
  from requested
  where "id" in (
    select claimed.id
    from claimed))
select claimed.id
from requested left join claimed on claimed.id = requested."id"
order by "idempotency.number"
