-- createCrateOnce, prepared
-- $1 = client, $2 = key, $3 = client, $4 = key, $5 = WG5A8xpbg6ssJQWr9V36N0y9DasnymsYwN33zvxh-WU, $6 = -7, $7 = books, $8 = small, $9 = fragile, $10 = box
with
  wanted as materialized (
    select
      nextval('crates_id_seq') as id,
      now() as at
    where
      pg_try_advisory_xact_lock(hashtextextended ($1::text || ' ' || $2::text, 0))
  ),
  used (id) as (
    insert into
      "idempotency_keys" ("owner", "key", "fingerprint", "item_id", "created_at")
    select
      $3::text,
      $4::text,
      $5::text,
      id,
      at
    from
      wanted
    on conflict ("owner", "key") do update
    set
      "fingerprint" = excluded."fingerprint",
      "item_id" = excluded."item_id",
      "created_at" = excluded."created_at"
    where
      excluded."created_at" - "idempotency_keys"."created_at" >= interval '24 hours'
    returning
      "idempotency_keys"."item_id"
  )
insert into
  "crates" ("id", "owner_id", "label", "size", "note", "unit")
select
  used.id,
  $6::bigint,
  $7::varchar,
  $8::crate_size,
  $9::text,
  $10::text
from
  used
returning
  "crates"."id",
  "crates"."owner_id",
  "crates"."label",
  "crates"."size",
  "crates"."note",
  "crates"."unit",
  "crates"."label_key"
