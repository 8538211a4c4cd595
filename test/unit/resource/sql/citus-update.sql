-- updateCrate, prepared
-- $1 = -7, $2 = books, $3 = small, $4 = fragile, $5 = box, $6 = 42
update "crates"
set
  "owner_id" = $1::bigint,
  "label" = $2::varchar,
  "size" = $3::crate_size,
  "note" = $4::text,
  "unit" = $5::text
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
      "crates"."id" = $6::bigint
    for update
  ) as old
where
  "crates"."id" = $6::bigint
  and "crates"."id" = old."id"
returning
  "crates"."id",
  "crates"."owner_id",
  "crates"."label",
  "crates"."size",
  "crates"."note",
  "crates"."unit",
  "crates"."label_key",
  old."id",
  old."owner_id",
  old."label",
  old."size",
  old."note",
  old."unit",
  old."label_key"
