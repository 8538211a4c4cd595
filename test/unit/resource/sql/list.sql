-- listCrates, not prepared: by id, between two
-- $1 = {"small","large"}, $2 = {"7","8"}, $3 = 50\%%, $4 = 11, $5 = 99, $6 = 21
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
          $4::bigint is null
          or "crates"."id" > $4::bigint
        )
        and (
          $5::bigint is null
          or "crates"."id" < $5::bigint
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
  $6::int

-- listCrates, not prepared: by label, last, before
-- $1 = {"small","large"}, $2 = {"7","8"}, $3 = 50\%%, $4 = 11, $5 = boa, $6 = NULL, $7 = NULL, $8 = 21
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
          $4::bigint is null
          or ("crates"."label_key", "crates"."id") < ($5::text, $4::bigint)
        )
        and (
          $6::bigint is null
          or ("crates"."label_key", "crates"."id") > ($7::text, $6::bigint)
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
  $8::int
