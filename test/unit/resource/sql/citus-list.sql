-- listCrates, not prepared: a size, by label
-- $1 = {"small"}, $2 = {"small"}, $3 = NULL, $4 = NULL, $5 = NULL, $6 = NULL, $7 = 11, $8 = boa, $9 = 11, $10 = NULL, $11 = NULL, $12 = NULL, $13 = 21
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
      or ("crates"."label_key", "crates"."id") > ($8::text, $9::bigint)
    )
    and (
      $10::bigint is null
      or ("crates"."label_key", "crates"."id") < ($11::text, $12::bigint)
    )
  )
order by
  "crates"."label_key" asc,
  "crates"."id" asc
limit
  $13::int

-- listCrates, not prepared: an owner, by id
-- $1 = NULL, $2 = NULL, $3 = {"7"}, $4 = {"7"}, $5 = NULL, $6 = NULL, $7 = NULL, $8 = NULL, $9 = NULL, $10 = NULL, $11 = 21
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
  "crates"."owner_id" asc,
  "crates"."id" asc
limit
  $11::int
