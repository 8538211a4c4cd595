-- silenceEvents, not prepared
select
  set_config('pet_store.silent', 'on', true)

-- resetSubscriptions, not prepared
select
  pg_notify ('pet_store_' || '"crates"'::regclass::oid, 'reset')

-- select crates_id_seq, not prepared
select
  setval(
    '"crates_id_seq"',
    (
      select
        max("crates"."id")
      from
        "crates"
    )
  )
from
  "crates_id_seq"
where
  (
    (
      select
        max("crates"."id")
      from
        "crates"
    ),
    true
  ) > (last_value, is_called)

-- importCrates, prepared
-- $1 = {"-7"}, $2 = {"books"}, $3 = {"small"}, $4 = {"fragile"}, $5 = {"box"}
insert into
  "crates" ("owner_id", "label", "size", "note", "unit")
select
  *
from
  unnest(
    (
      select
        $1::bigint[]
    ),
    $2::varchar[],
    $3::crate_size[],
    $4::text[],
    $5::text[]
  )
returning
  "crates"."id"

-- silenceEvents, not prepared
select
  set_config('pet_store.silent', 'on', true)

-- resetSubscriptions, not prepared
select
  pg_notify ('pet_store_' || '"crates"'::regclass::oid, 'reset')

-- limitLockWait, not prepared
select
  set_config('lock_timeout', (setting::int + 1000)::text, true)
from
  pg_settings
where
  name = 'deadlock_timeout'

-- lockForImport, not prepared
lock table "crates" in share row exclusive mode

-- importCratesWithIds, prepared
-- $1 = {"9007199254740993"}, $2 = {"-7"}, $3 = {"books"}, $4 = {"small"}, $5 = {"fragile"}, $6 = {"box"}
insert into
  "crates" ("id", "owner_id", "label", "size", "note", "unit")
select
  *
from
  unnest(
    (
      select
        $1::bigint[]
    ),
    $2::bigint[],
    $3::varchar[],
    $4::crate_size[],
    $5::text[],
    $6::text[]
  )
on conflict do nothing
returning
  "crates"."id"

-- select crates_id_seq, not prepared
select
  setval(
    '"crates_id_seq"',
    (
      select
        max("crates"."id")
      from
        "crates"
    )
  )
from
  "crates_id_seq"
where
  (
    (
      select
        max("crates"."id")
      from
        "crates"
    ),
    true
  ) > (last_value, is_called)
