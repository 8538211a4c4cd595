-- listCrates, not prepared: by id, between two
-- $1 = {"small","large"}, $2 = {"small","large"}, $3 = {"7","8"}, $4 = {"7","8"}, $5 = 50\%%, $6 = 50\%%, $7 = 11, $8 = 11, $9 = 99, $10 = 99, $11 = 21
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
          or "crates"."size" = any ($2::crate_size[])
        )
        and (
          $3::bigint[] is null
          or "crates"."owner_id" = any ($4::bigint[])
        )
        and (
          $5::text is null
          or "crates"."label_key" like $6::text
        )
        and (
          $7::bigint is null
          or "crates"."id" > $8::bigint
        )
        and (
          $9::bigint is null
          or "crates"."id" < $10::bigint
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
  $11::int

-- listCrates, not prepared: by label, last, before
-- $1 = {"small","large"}, $2 = {"small","large"}, $3 = {"7","8"}, $4 = {"7","8"}, $5 = 50\%%, $6 = 50\%%, $7 = 11, $8 = boa, $9 = 11, $10 = NULL, $11 = NULL, $12 = NULL, $13 = 21
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
          or "crates"."size" = any ($2::crate_size[])
        )
        and (
          $3::bigint[] is null
          or "crates"."owner_id" = any ($4::bigint[])
        )
        and (
          $5::text is null
          or "crates"."label_key" like $6::text
        )
        and (
          $7::bigint is null
          or ("crates"."label_key", "crates"."id") < ($8::text, $9::bigint)
        )
        and (
          $10::bigint is null
          or ("crates"."label_key", "crates"."id") > ($11::text, $12::bigint)
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
  $13::int
