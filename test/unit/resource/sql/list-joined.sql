-- listCrates, prepared: by id
-- $1 = {"21"}, $2 = {null}, $3 = {null}, $4 = {null}
select
  page.*,
  number
from
  unnest(
    (
      select
        $1::int[]
    ),
    $2::text[],
    $3::text[],
    $4::bigint[]
  ) with ordinality as "page.sent" ("limit", "value", "key", "id", number)
  cross join lateral (
    select
      array_agg("id"),
      array_agg("owner_id"),
      array_agg("label"),
      array_agg("size"),
      array_agg("note"),
      array_agg("unit")
    from
      (
        select
          *
        from
          (
            select
              "crates"."id",
              "crates"."owner_id",
              "crates"."label",
              "crates"."size",
              "crates"."note",
              "crates"."unit"
            from
              "crates"
            where
              true
            order by
              "crates"."id" asc
            limit
              101
          ) as part
        limit
          "page.sent"."limit"
      ) as item
  ) as page

-- listCrates, prepared: a size, after
-- $1 = {"21"}, $2 = {"small"}, $3 = {null}, $4 = {"11"}
select
  page.*,
  number
from
  unnest(
    (
      select
        $1::int[]
    ),
    $2::crate_size[],
    $3::text[],
    $4::bigint[]
  ) with ordinality as "page.sent" ("limit", "value", "key", "id", number)
  cross join lateral (
    select
      array_agg("id"),
      array_agg("owner_id"),
      array_agg("label"),
      array_agg("size"),
      array_agg("note"),
      array_agg("unit")
    from
      (
        select
          *
        from
          (
            select
              "crates"."id",
              "crates"."owner_id",
              "crates"."label",
              "crates"."size",
              "crates"."note",
              "crates"."unit"
            from
              "crates"
            where
              (
                "crates"."size" = any (array["page.sent"."value"])
                and "crates"."id" > "page.sent"."id"
              )
            order by
              "crates"."size" asc,
              "crates"."id" asc
            limit
              101
          ) as part
        limit
          "page.sent"."limit"
      ) as item
  ) as page

-- listCrates, prepared: an owner, last
-- $1 = {"21"}, $2 = {"7"}, $3 = {null}, $4 = {null}
select
  page.*,
  number
from
  unnest(
    (
      select
        $1::int[]
    ),
    $2::bigint[],
    $3::text[],
    $4::bigint[]
  ) with ordinality as "page.sent" ("limit", "value", "key", "id", number)
  cross join lateral (
    select
      array_agg("id"),
      array_agg("owner_id"),
      array_agg("label"),
      array_agg("size"),
      array_agg("note"),
      array_agg("unit")
    from
      (
        select
          *
        from
          (
            select
              "crates"."id",
              "crates"."owner_id",
              "crates"."label",
              "crates"."size",
              "crates"."note",
              "crates"."unit"
            from
              "crates"
            where
              "crates"."owner_id" = any (array["page.sent"."value"])
            order by
              "crates"."owner_id" desc,
              "crates"."id" desc
            limit
              101
          ) as part
        limit
          "page.sent"."limit"
      ) as item
  ) as page

-- listCrates, prepared: by label, after
-- $1 = {"21"}, $2 = {null}, $3 = {"boa"}, $4 = {"11"}
select
  page.*,
  number
from
  unnest(
    (
      select
        $1::int[]
    ),
    $2::text[],
    $3::text[],
    $4::bigint[]
  ) with ordinality as "page.sent" ("limit", "value", "key", "id", number)
  cross join lateral (
    select
      array_agg("id"),
      array_agg("owner_id"),
      array_agg("label"),
      array_agg("size"),
      array_agg("note"),
      array_agg("unit"),
      array_agg("label_key")
    from
      (
        select
          *
        from
          (
            select
              "crates"."id",
              "crates"."owner_id",
              "crates"."label",
              "crates"."size",
              "crates"."note",
              "crates"."unit",
              "crates"."label_key"
            from
              "crates"
            where
              ("crates"."label_key", "crates"."id") > ("page.sent"."key", "page.sent"."id")
            order by
              "crates"."label_key" asc,
              "crates"."id" asc
            limit
              101
          ) as part
        limit
          "page.sent"."limit"
      ) as item
  ) as page

-- listCrates, prepared: by label, last, before
-- $1 = {"21"}, $2 = {null}, $3 = {"boa"}, $4 = {"11"}
select
  page.*,
  number
from
  unnest(
    (
      select
        $1::int[]
    ),
    $2::text[],
    $3::text[],
    $4::bigint[]
  ) with ordinality as "page.sent" ("limit", "value", "key", "id", number)
  cross join lateral (
    select
      array_agg("id"),
      array_agg("owner_id"),
      array_agg("label"),
      array_agg("size"),
      array_agg("note"),
      array_agg("unit"),
      array_agg("label_key")
    from
      (
        select
          *
        from
          (
            select
              "crates"."id",
              "crates"."owner_id",
              "crates"."label",
              "crates"."size",
              "crates"."note",
              "crates"."unit",
              "crates"."label_key"
            from
              "crates"
            where
              ("crates"."label_key", "crates"."id") < ("page.sent"."key", "page.sent"."id")
            order by
              "crates"."label_key" desc,
              "crates"."id" desc
            limit
              101
          ) as part
        limit
          "page.sent"."limit"
      ) as item
  ) as page

-- listCrates, prepared: two sizes, after
-- $1 = {"21"}, $2 = {"{\"small\",\"large\"}"}, $3 = {null}, $4 = {"11"}
select
  page.*,
  number
from
  unnest(
    (
      select
        $1::int[]
    ),
    $2::text[],
    $3::text[],
    $4::bigint[]
  ) with ordinality as "page.sent" ("limit", "value", "key", "id", number)
  cross join lateral (
    select
      array_agg("id"),
      array_agg("owner_id"),
      array_agg("label"),
      array_agg("size"),
      array_agg("note"),
      array_agg("unit")
    from
      (
        select
          found.*
        from
          unnest("page.sent"."value"::crate_size[]) as "page.range" (value)
          cross join lateral (
            select
              *
            from
              (
                select
                  "crates"."id",
                  "crates"."owner_id",
                  "crates"."label",
                  "crates"."size",
                  "crates"."note",
                  "crates"."unit"
                from
                  "crates"
                where
                  (
                    "crates"."size" = any (array["page.range".value])
                    and "crates"."id" > "page.sent"."id"
                  )
                order by
                  "crates"."size" asc,
                  "crates"."id" asc
                limit
                  101
              ) as part
            limit
              "page.sent"."limit"
          ) as found
        order by
          found."id" asc
        limit
          "page.sent"."limit"
      ) as item
  ) as page
