-- listCrates, not prepared: by id, between two
-- $1 = {"small","large"}, $2 = {"7","8"}, $3 = 50\%%, $4 = fragile, $5 = 11, $6 = 99, $7 = 21
with
  page as materialized (
    select
      "id",
      "owner_id",
      "label",
      "size",
      "note",
      "unit"
    from
      "crates"
    where
      (
        (
          $1::crate_size[] is null
          or "crates"."size" = any ($1::crate_size[])
        )
        and (
          $2::bigint[] is null
          or "crates"."owner_id" = any ($2::bigint[])
        )
        and (
          $3::text is null
          or "crates"."label_key" like $3::text
        )
        and (
          $4::text is null
          or "crates"."note" = $4::text
        )
        and (
          $5::bigint is null
          or "crates"."id" > $5::bigint
        )
        and (
          $6::bigint is null
          or "crates"."id" < $6::bigint
        )
      )
    order by
      "crates"."id" asc
    limit
      10000
  )
select
  *
from
  page
limit
  $7::int

-- listCrates, not prepared: by label, last, before
-- $1 = {"small","large"}, $2 = {"7","8"}, $3 = 50\%%, $4 = fragile, $5 = 11, $6 = boa, $7 = NULL, $8 = NULL, $9 = 21
with
  page as materialized (
    select
      "id",
      "owner_id",
      "label",
      "size",
      "note",
      "unit",
      "label_key"
    from
      "crates"
    where
      (
        (
          $1::crate_size[] is null
          or "crates"."size" = any ($1::crate_size[])
        )
        and (
          $2::bigint[] is null
          or "crates"."owner_id" = any ($2::bigint[])
        )
        and (
          $3::text is null
          or "crates"."label_key" like $3::text
        )
        and (
          $4::text is null
          or "crates"."note" = $4::text
        )
        and (
          $5::bigint is null
          or ("crates"."label_key", "crates"."id") < ($6::text, $5::bigint)
        )
        and (
          $7::bigint is null
          or ("crates"."label_key", "crates"."id") > ($8::text, $7::bigint)
        )
      )
    order by
      "crates"."label_key" desc,
      "crates"."id" desc
    limit
      10000
  )
select
  *
from
  page
limit
  $9::int

-- listCrates, not prepared: a prefix, by label
-- $1 = NULL, $2 = NULL, $3 = 50\%%, $4 = NULL, $5 = NULL, $6 = NULL, $7 = NULL, $8 = NULL, $9 = 21
select
  "id",
  "owner_id",
  "label",
  "size",
  "note",
  "unit",
  "label_key"
from
  "crates"
where
  (
    (
      $1::crate_size[] is null
      or "crates"."size" = any ($1::crate_size[])
    )
    and (
      $2::bigint[] is null
      or "crates"."owner_id" = any ($2::bigint[])
    )
    and (
      $3::text is null
      or "crates"."label_key" like $3::text
    )
    and (
      $4::text is null
      or "crates"."note" = $4::text
    )
    and (
      $5::bigint is null
      or ("crates"."label_key", "crates"."id") > ($6::text, $5::bigint)
    )
    and (
      $7::bigint is null
      or ("crates"."label_key", "crates"."id") < ($8::text, $7::bigint)
    )
  )
order by
  "crates"."label_key" asc,
  "crates"."id" asc
limit
  $9::int

-- listCrates, not prepared: a size, before
-- $1 = {"small"}, $2 = NULL, $3 = NULL, $4 = NULL, $5 = NULL, $6 = 99, $7 = 21
select
  "id",
  "owner_id",
  "label",
  "size",
  "note",
  "unit"
from
  "crates"
where
  (
    (
      $1::crate_size[] is null
      or "crates"."size" = any ($1::crate_size[])
    )
    and (
      $2::bigint[] is null
      or "crates"."owner_id" = any ($2::bigint[])
    )
    and (
      $3::text is null
      or "crates"."label_key" like $3::text
    )
    and (
      $4::text is null
      or "crates"."note" = $4::text
    )
    and (
      $5::bigint is null
      or "crates"."id" > $5::bigint
    )
    and (
      $6::bigint is null
      or "crates"."id" < $6::bigint
    )
  )
order by
  "crates"."size" asc,
  "crates"."id" asc
limit
  $7::int
