-- updateCrate, prepared
-- $1 = true, $2 = -7, $3 = true, $4 = books, $5 = true, $6 = small, $7 = true, $8 = fragile, $9 = true, $10 = box, $11 = 42, $12 = false, $13 = NULL, $14 = false, $15 = NULL, $16 = false, $17 = NULL, $18 = false, $19 = NULL, $20 = false, $21 = NULL
update "crates"
set
  "owner_id" = case
    when $1::boolean then $2::bigint
    else "crates"."owner_id"
  end,
  "label" = case
    when $3::boolean then $4::varchar
    else "crates"."label"
  end,
  "size" = case
    when $5::boolean then $6::crate_size
    else "crates"."size"
  end,
  "note" = case
    when $7::boolean then $8::text
    else "crates"."note"
  end,
  "unit" = case
    when $9::boolean then $10::text
    else "crates"."unit"
  end
from
  (
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
      "crates"."id" = $11::bigint
    for update
  ) as "update.former"
where
  "crates"."id" = $11::bigint
  and (
    not $12::boolean
    or "crates"."owner_id" is not distinct from $13::bigint
  )
  and (
    not $14::boolean
    or "crates"."label" is not distinct from $15::varchar
  )
  and (
    not $16::boolean
    or "crates"."size" is not distinct from $17::crate_size
  )
  and (
    not $18::boolean
    or "crates"."note" is not distinct from $19::text
  )
  and (
    not $20::boolean
    or "crates"."unit" is not distinct from $21::text
  )
  and "crates"."id" = "update.former"."id"
returning
  "crates"."id",
  "crates"."owner_id",
  "crates"."label",
  "crates"."size",
  "crates"."note",
  "crates"."unit",
  "crates"."label_key",
  "update.former"."id",
  "update.former"."owner_id",
  "update.former"."label",
  "update.former"."size",
  "update.former"."note",
  "update.former"."unit",
  "update.former"."label_key"
