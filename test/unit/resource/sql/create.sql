-- createCrates, prepared
-- $1 = {"-7","-7"}, $2 = {"books","books"}, $3 = {"small",null}, $4 = {"fragile","fragile"}, $5 = {"box","box"}
with
  numbered as materialized (
    select
      "create.number",
      nextval('"crates_id_seq"') as "id",
      "owner_id",
      "label",
      "size",
      "note",
      "unit"
    from
      unnest(
        (
          select
            $1::bigint[]
        ),
        $2::varchar[],
        $3::crate_size[],
        $4::text[],
        $5::text[]
      ) with ordinality as request ("owner_id", "label", "size", "note", "unit", "create.number")
  ),
  created as (
    insert into
      "crates" ("id", "owner_id", "label", "size", "note", "unit")
    select
      "id",
      "owner_id",
      "label",
      "size",
      "note",
      "unit"
    from
      numbered
  )
select
  "id"
from
  numbered
order by
  "create.number"
