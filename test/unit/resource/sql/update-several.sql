-- updateCrates, prepared
-- $1 = {"42","43"}, $2 = {null,"-7"}, $3 = {null,"books"}, $4 = {null,"small"}, $5 = {null,"fragile"}, $6 = {null,"box"}, $7 = {"false","true"}, $8 = {"false","true"}, $9 = {"true","true"}, $10 = {"false","true"}, $11 = {"false","true"}
with
  "update.locked" as (
    select
      "update.sent".*
    from
      unnest(
        (
          select
            $1::bigint[]
        ),
        $2::bigint[],
        $3::varchar[],
        $4::crate_size[],
        $5::text[],
        $6::text[],
        $7::boolean[],
        $8::boolean[],
        $9::boolean[],
        $10::boolean[],
        $11::boolean[]
      ) as "update.sent" (
        "id",
        "ownerId",
        "label",
        "size",
        "note",
        "unit",
        "isSet.ownerId",
        "isSet.label",
        "isSet.size",
        "isSet.note",
        "isSet.unit"
      )
      join "crates" on "crates"."id" = "update.sent"."id"
    for no key update of
      "crates" skip locked
  )
update "crates"
set
  "owner_id" = case
    when "update.locked"."isSet.ownerId" then "update.locked"."ownerId"
    else "crates"."owner_id"
  end,
  "label" = case
    when "update.locked"."isSet.label" then "update.locked"."label"
    else "crates"."label"
  end,
  "size" = case
    when "update.locked"."isSet.size" then "update.locked"."size"
    else "crates"."size"
  end,
  "note" = case
    when "update.locked"."isSet.note" then "update.locked"."note"
    else "crates"."note"
  end,
  "unit" = case
    when "update.locked"."isSet.unit" then "update.locked"."unit"
    else "crates"."unit"
  end
from
  "update.locked"
where
  "crates"."id" = "update.locked"."id"
returning
  "crates"."id",
  "crates"."owner_id",
  "crates"."label",
  "crates"."size",
  "crates"."note",
  "crates"."unit"
