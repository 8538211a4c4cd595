-- drawCrateIds, prepared
-- $1 = 2
select
  nextval('"crates_id_seq"')::text
from
  generate_series(1, $1::int)

-- createCrates, not prepared
-- $1 = 11, $2 = -7, $3 = books, $4 = small, $5 = fragile, $6 = box, $7 = 12, $8 = -7, $9 = books, $10 = NULL, $11 = fragile, $12 = box
insert into
  "crates" ("id", "owner_id", "label", "size", "note", "unit")
values
  ($1::bigint, $2::bigint, $3::varchar, $4::crate_size, $5::text, $6::text),
  ($7::bigint, $8::bigint, $9::varchar, $10::crate_size, $11::text, $12::text)
returning
  "crates"."id",
  "crates"."owner_id",
  "crates"."label",
  "crates"."size",
  "crates"."note",
  "crates"."unit",
  "crates"."label_key"

-- createCrates, prepared: alone
-- $1 = 11, $2 = -7, $3 = books, $4 = small, $5 = fragile, $6 = box
insert into
  "crates" ("id", "owner_id", "label", "size", "note", "unit")
values
  ($1::bigint, $2::bigint, $3::varchar, $4::crate_size, $5::text, $6::text)
returning
  "crates"."id",
  "crates"."owner_id",
  "crates"."label",
  "crates"."size",
  "crates"."note",
  "crates"."unit",
  "crates"."label_key"
