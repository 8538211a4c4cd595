-- updateCrates, prepared
-- $1 = {"42","43"}, $2 = {null,"-7"}, $3 = {null,"books"}, $4 = {null,"small"}, $5 = {null,"fragile"}, $6 = {null,"box"}, $7 = {"false","true"}, $8 = {"false","true"}, $9 = {"true","true"}, $10 = {"false","true"}, $11 = {"false","true"}
with
  locked as (
    select
      request.*
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
      ) as request (
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
      join "crates" on "crates"."id" = request."id"
    for no key update of
      "crates" skip locked
  )
update "crates"
set
  "owner_id" = case
    when locked."isSet.ownerId" then locked."ownerId"
    else "crates"."owner_id"
  end,
  "label" = case
    when locked."isSet.label" then locked."label"
    else "crates"."label"
  end,
  "size" = case
    when locked."isSet.size" then locked."size"
    else "crates"."size"
  end,
  "note" = case
    when locked."isSet.note" then locked."note"
    else "crates"."note"
  end,
  "unit" = case
    when locked."isSet.unit" then locked."unit"
    else "crates"."unit"
  end
from
  locked
where
  "crates"."id" = locked."id"
returning
  "crates"."id",
  "crates"."owner_id",
  "crates"."label",
  "crates"."size",
  "crates"."note",
  "crates"."unit"
