-- listPets, prepared: ASC, from the start, two categories
-- $1 = {"7","8"}, $2 = 21, $3 = 21
select sum(octet_length("name")), array_agg("id"), array_agg("name"), array_agg("category_id"), array_agg("status"), array_agg("name_key")
from (
  select matching.*
  from unnest($1::bigint[]) as combination ("categoryId")
  cross join lateral (
    select *
    from (
      select "pets"."id", "pets"."name", "pets"."category_id", "pets"."status", (lower(left("pets"."name", 500) collate "pet_names") collate "C") as "name_key"
      from "pets"
      where (("pets"."category_id") >= ("combination"."categoryId")
        and ("pets"."category_id") <= ("combination"."categoryId"))
      order by "pets"."category_id" asc, (lower(left("pets"."name", 500) collate "pet_names") collate "C") asc, "pets"."id" asc
      limit 101) as range
    limit $2::int) as matching
  order by "name_key" collate "C" asc, "id" asc
  limit $3::int) as page

-- listPets, prepared: ASC, from the start, two categories, before
-- $1 = {"7","8"}, $2 = rez, $3 = 99, $4 = 21, $5 = 21
select sum(octet_length("name")), array_agg("id"), array_agg("name"), array_agg("category_id"), array_agg("status"), array_agg("name_key")
from (
  select matching.*
  from unnest($1::bigint[]) as combination ("categoryId")
  cross join lateral (
    select *
    from (
      select "pets"."id", "pets"."name", "pets"."category_id", "pets"."status", (lower(left("pets"."name", 500) collate "pet_names") collate "C") as "name_key"
      from "pets"
      where (("pets"."category_id") >= ("combination"."categoryId")
        and ("pets"."category_id", (lower(left("pets"."name", 500) collate "pet_names") collate "C"), "pets"."id") < ("combination"."categoryId", $2::text, $3::bigint))
      order by "pets"."category_id" asc, (lower(left("pets"."name", 500) collate "pet_names") collate "C") asc, "pets"."id" asc
      limit 101) as range
    limit $4::int) as matching
  order by "name_key" collate "C" asc, "id" asc
  limit $5::int) as page

-- listPets, prepared: ASC, from the start, two categories, after
-- $1 = {"7","8"}, $2 = rea, $3 = 11, $4 = 21, $5 = 21
select sum(octet_length("name")), array_agg("id"), array_agg("name"), array_agg("category_id"), array_agg("status"), array_agg("name_key")
from (
  select matching.*
  from unnest($1::bigint[]) as combination ("categoryId")
  cross join lateral (
    select *
    from (
      select "pets"."id", "pets"."name", "pets"."category_id", "pets"."status", (lower(left("pets"."name", 500) collate "pet_names") collate "C") as "name_key"
      from "pets"
      where (("pets"."category_id", (lower(left("pets"."name", 500) collate "pet_names") collate "C"), "pets"."id") > ("combination"."categoryId", $2::text, $3::bigint)
        and ("pets"."category_id") <= ("combination"."categoryId"))
      order by "pets"."category_id" asc, (lower(left("pets"."name", 500) collate "pet_names") collate "C") asc, "pets"."id" asc
      limit 101) as range
    limit $4::int) as matching
  order by "name_key" collate "C" asc, "id" asc
  limit $5::int) as page

-- listPets, prepared: ASC, from the start, two categories, a prefix
-- $1 = {"7","8"}, $2 = re, $3 = rf, $4 = 21, $5 = 21
select sum(octet_length("name")), array_agg("id"), array_agg("name"), array_agg("category_id"), array_agg("status"), array_agg("name_key")
from (
  select matching.*
  from unnest($1::bigint[]) as combination ("categoryId")
  cross join lateral (
    select *
    from (
      select "pets"."id", "pets"."name", "pets"."category_id", "pets"."status", (lower(left("pets"."name", 500) collate "pet_names") collate "C") as "name_key"
      from "pets"
      where (("pets"."category_id", (lower(left("pets"."name", 500) collate "pet_names") collate "C")) >= ("combination"."categoryId", $2::text)
        and ("pets"."category_id", (lower(left("pets"."name", 500) collate "pet_names") collate "C")) < ("combination"."categoryId", $3::text))
      order by "pets"."category_id" asc, (lower(left("pets"."name", 500) collate "pet_names") collate "C") asc, "pets"."id" asc
      limit 101) as range
    limit $4::int) as matching
  order by "name_key" collate "C" asc, "id" asc
  limit $5::int) as page

-- listPets, prepared: ASC, from the start, two categories, a prefix without an upper end
-- $1 = {"7","8"}, $2 = \u{10ffff}, $3 = 21, $4 = 21
select sum(octet_length("name")), array_agg("id"), array_agg("name"), array_agg("category_id"), array_agg("status"), array_agg("name_key")
from (
  select matching.*
  from unnest($1::bigint[]) as combination ("categoryId")
  cross join lateral (
    select *
    from (
      select "pets"."id", "pets"."name", "pets"."category_id", "pets"."status", (lower(left("pets"."name", 500) collate "pet_names") collate "C") as "name_key"
      from "pets"
      where (("pets"."category_id", (lower(left("pets"."name", 500) collate "pet_names") collate "C")) >= ("combination"."categoryId", $2::text)
        and ("pets"."category_id") <= ("combination"."categoryId"))
      order by "pets"."category_id" asc, (lower(left("pets"."name", 500) collate "pet_names") collate "C") asc, "pets"."id" asc
      limit 101) as range
    limit $3::int) as matching
  order by "name_key" collate "C" asc, "id" asc
  limit $4::int) as page

-- listPets, prepared: ASC, from the start, a status, two categories
-- $1 = {"sold","sold"}, $2 = {"7","8"}, $3 = 21, $4 = 21
select sum(octet_length("name")), array_agg("id"), array_agg("name"), array_agg("category_id"), array_agg("status"), array_agg("name_key")
from (
  select matching.*
  from unnest($1::pet_status[], $2::bigint[]) as combination ("status", "categoryId")
  cross join lateral (
    select *
    from (
      select "pets"."id", "pets"."name", "pets"."category_id", "pets"."status", (lower(left("pets"."name", 500) collate "pet_names") collate "C") as "name_key"
      from "pets"
      where (("pets"."status", "pets"."category_id") >= ("combination"."status", "combination"."categoryId")
        and ("pets"."status", "pets"."category_id") <= ("combination"."status", "combination"."categoryId"))
      order by "pets"."status" asc, "pets"."category_id" asc, (lower(left("pets"."name", 500) collate "pet_names") collate "C") asc, "pets"."id" asc
      limit 101) as range
    limit $3::int) as matching
  order by "name_key" collate "C" asc, "id" asc
  limit $4::int) as page

-- listPets, prepared: ASC, from the start, two statuses
-- $1 = {"sold","pending"}, $2 = 21, $3 = 21
select sum(octet_length("name")), array_agg("id"), array_agg("name"), array_agg("category_id"), array_agg("status"), array_agg("name_key")
from (
  select matching.*
  from unnest($1::pet_status[]) as combination ("status")
  cross join lateral (
    select *
    from (
      select "pets"."id", "pets"."name", "pets"."category_id", "pets"."status", (lower(left("pets"."name", 500) collate "pet_names") collate "C") as "name_key"
      from "pets"
      where (("pets"."status") >= ("combination"."status")
        and ("pets"."status") <= ("combination"."status"))
      order by "pets"."status" asc, (lower(left("pets"."name", 500) collate "pet_names") collate "C") asc, "pets"."id" asc
      limit 101) as range
    limit $2::int) as matching
  order by "name_key" collate "C" asc, "id" asc
  limit $3::int) as page

-- listPets, prepared: ASC, from the end, two categories
-- $1 = {"7","8"}, $2 = 21, $3 = 21
select sum(octet_length("name")), array_agg("id"), array_agg("name"), array_agg("category_id"), array_agg("status"), array_agg("name_key")
from (
  select matching.*
  from unnest($1::bigint[]) as combination ("categoryId")
  cross join lateral (
    select *
    from (
      select "pets"."id", "pets"."name", "pets"."category_id", "pets"."status", (lower(left("pets"."name", 500) collate "pet_names") collate "C") as "name_key"
      from "pets"
      where (("pets"."category_id") >= ("combination"."categoryId")
        and ("pets"."category_id") <= ("combination"."categoryId"))
      order by "pets"."category_id" desc, (lower(left("pets"."name", 500) collate "pet_names") collate "C") desc, "pets"."id" desc
      limit 101) as range
    limit $2::int) as matching
  order by "name_key" collate "C" desc, "id" desc
  limit $3::int) as page

-- listPets, prepared: ASC, from the end, a status, two categories, a prefix, after
-- $1 = {"sold","sold"}, $2 = {"7","8"}, $3 = rea, $4 = 11, $5 = rf, $6 = 21, $7 = 21
select sum(octet_length("name")), array_agg("id"), array_agg("name"), array_agg("category_id"), array_agg("status"), array_agg("name_key")
from (
  select matching.*
  from unnest($1::pet_status[], $2::bigint[]) as combination ("status", "categoryId")
  cross join lateral (
    select *
    from (
      select "pets"."id", "pets"."name", "pets"."category_id", "pets"."status", (lower(left("pets"."name", 500) collate "pet_names") collate "C") as "name_key"
      from "pets"
      where (("pets"."status", "pets"."category_id", (lower(left("pets"."name", 500) collate "pet_names") collate "C"), "pets"."id") > ("combination"."status", "combination"."categoryId", $3::text, $4::bigint)
        and ("pets"."status", "pets"."category_id", (lower(left("pets"."name", 500) collate "pet_names") collate "C")) < ("combination"."status", "combination"."categoryId", $5::text))
      order by "pets"."status" desc, "pets"."category_id" desc, (lower(left("pets"."name", 500) collate "pet_names") collate "C") desc, "pets"."id" desc
      limit 101) as range
    limit $6::int) as matching
  order by "name_key" collate "C" desc, "id" desc
  limit $7::int) as page
