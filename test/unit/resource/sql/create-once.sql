-- createCratesOnce, prepared
-- $1 = {"client"}, $2 = {"key"}, $3 = {"4KM6Wy8QAKGpxK4CC_BjQzkeaNDM_Y_YIUZkRCWmgKk"}, $4 = {"-7"}, $5 = {"books"}, $6 = {"small"}, $7 = {"fragile"}, $8 = {"box"}
with
  requested as materialized (
    select
      nextval('"crates_id_seq"') as "id",
      *
    from
      unnest(
        (
          select
            $1::text[]
        ),
        $2::text[],
        $3::text[],
        $4::bigint[],
        $5::varchar[],
        $6::crate_size[],
        $7::text[],
        $8::text[]
      ) with ordinality as request (
        "idempotency.owner",
        "idempotency.key",
        "idempotency.fingerprint",
        "owner_id",
        "label",
        "size",
        "note",
        "unit",
        "idempotency.number"
      )
  ),
  claimed (id) as (
    insert into
      "idempotency_keys" ("owner", "key", "fingerprint", "item_id", "created_at")
    select
      "idempotency.owner",
      "idempotency.key",
      "idempotency.fingerprint",
      "id",
      now()
    from
      requested
    where
      pg_try_advisory_xact_lock(hashtextextended ("idempotency.owner" || ' ' || "idempotency.key", 0))
    on conflict ("owner", "key") do update
    set
      "fingerprint" = excluded."fingerprint",
      "item_id" = excluded."item_id",
      "created_at" = excluded."created_at"
    where
      excluded."created_at" - "idempotency_keys"."created_at" >= interval '24 hours'
    returning
      "idempotency_keys"."item_id"
  ),
  created as (
    insert into
      "crates" ("id", "owner_id", "label", "size", "note", "unit")
    select
      "id",
      "owner_id",
      "label",
      "size",
      "note",
      "unit"
    from
      requested
    where
      "id" in (
        select
          claimed.id
        from
          claimed
      )
  )
select
  claimed.id
from
  requested
  left join claimed on claimed.id = requested."id"
order by
  "idempotency.number"

-- delete idempotency_keys, not prepared
delete from "idempotency_keys"
where
  (
    "idempotency_keys"."created_at" >= (
      select
        min("idempotency_keys"."created_at")
      from
        "idempotency_keys"
    )
    and "idempotency_keys"."created_at" < least(
      now() - interval '24 hours',
      (
        select
          min("idempotency_keys"."created_at")
        from
          "idempotency_keys"
      ) + interval '10 seconds'
    )
  )

-- select idempotency_keys, not prepared
-- $1 = client, $2 = key
select
  "fingerprint",
  "item_id"
from
  "idempotency_keys"
where
  (
    "idempotency_keys"."owner" = $1
    and "idempotency_keys"."key" = $2
    and "idempotency_keys"."created_at" > now() - interval '24 hours'
  )
