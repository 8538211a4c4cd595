-- updateCrate, prepared: alone
-- $1 = NULL, $2 = 42
update "crates"
set
  "size" = $1
where
  "crates"."id" = $2::bigint
returning
  "id",
  "owner_id",
  "label",
  "size",
  "note",
  "unit"

-- updateCrate, not prepared: compared
-- $1 = -7, $2 = books, $3 = small, $4 = fragile, $5 = box, $6 = 42, $7 = NULL
update "crates"
set
  "owner_id" = $1,
  "label" = $2,
  "size" = $3,
  "note" = $4,
  "unit" = $5
where
  "crates"."id" = $6::bigint
  and "crates"."size" is not distinct from $7::crate_size
returning
  "id",
  "owner_id",
  "label",
  "size",
  "note",
  "unit"
