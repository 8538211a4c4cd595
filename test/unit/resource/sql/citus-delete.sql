-- deleteCrate, prepared
-- $1 = 42, $2 = false, $3 = NULL, $4 = false, $5 = NULL, $6 = false, $7 = NULL, $8 = false, $9 = NULL, $10 = false, $11 = NULL
delete from "crates"
where
  "crates"."id" = $1::bigint
  and (
    not $2::boolean
    or "crates"."owner_id" is not distinct from $3::bigint
  )
  and (
    not $4::boolean
    or "crates"."label" is not distinct from $5::varchar
  )
  and (
    not $6::boolean
    or "crates"."size" is not distinct from $7::crate_size
  )
  and (
    not $8::boolean
    or "crates"."note" is not distinct from $9::text
  )
  and (
    not $10::boolean
    or "crates"."unit" is not distinct from $11::text
  )
returning
  "crates"."id",
  "crates"."owner_id",
  "crates"."label",
  "crates"."size",
  "crates"."note",
  "crates"."unit",
  "crates"."label_key"
