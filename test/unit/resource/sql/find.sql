-- findCrates, prepared
-- $1 = {"1","2"}
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
  "crates"."id" = any ($1::bigint[])
