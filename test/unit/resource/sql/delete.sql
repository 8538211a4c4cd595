-- deleteCrate, prepared
-- $1 = 42
delete from "crates"
where
  "crates"."id" = $1::bigint
returning
  "id",
  "owner_id",
  "label",
  "size",
  "note",
  "unit"
