-- createCrateOnce, prepared
-- $1 = client, $2 = key, $3 = 4KM6Wy8QAKGpxK4CC_BjQzkeaNDM_Y_YIUZkRCWmgKk, $4 = -7, $5 = books, $6 = small, $7 = fragile, $8 = box
with
  wanted as materialized (
    select
      nextval('"crates_id_seq"') as id,
      now() as at
    where
      pg_try_advisory_xact_lock(hashtextextended ($1::text || ' ' || $2::text, 0))
  ),
  claimed (id) as (
    insert into
      "idempotency_keys" ("owner", "key", "fingerprint", "item_id", "created_at")
    select
      $1::text,
      $2::text,
      $3::text,
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
  claimed.id,
  $4::bigint,
  $5::varchar,
  $6::crate_size,
  $7::text,
  $8::text
from
  claimed
returning
  "crates"."id",
  "crates"."owner_id",
  "crates"."label",
  "crates"."size",
  "crates"."note",
  "crates"."unit",
  "crates"."label_key"
