-- listPets, prepared: two categories
-- $1 = {"7","8"}, $2 = 21, $3 = 21
select sum(octet_length("name")), array_agg("id"), array_agg("name"), array_agg("category_id"), array_agg("status"), array_agg("name_key")
from (
  select matching.*
  from unnest($1::bigint[]) as combination ("categoryId")
  cross join lateral (
    select *
    from (
      select "pets"."id", "pets"."name", "pets"."category_id", "pets"."status", "pets"."name_key"
      from "pets"
      where (("pets"."category_id") >= ("combination"."categoryId")
        and ("pets"."category_id") <= ("combination"."categoryId"))
      order by "pets"."category_id" asc, "pets"."name_key" asc, "pets"."id" asc
      limit 101) as range
    limit $2::int) as matching
  order by "name_key" asc, "id" asc
  limit $3::int) as page

-- listPets, prepared: two statuses
-- $1 = {"sold","pending"}, $2 = 21, $3 = 21
select sum(octet_length("name")), array_agg("id"), array_agg("name"), array_agg("category_id"), array_agg("status"), array_agg("name_key")
from (
  select matching.*
  from unnest($1::pet_status[]) as combination ("status")
  cross join lateral (
    select *
    from (
      select "pets"."id", "pets"."name", "pets"."category_id", "pets"."status", "pets"."name_key"
      from "pets"
      where (("pets"."status") >= ("combination"."status")
        and ("pets"."status") <= ("combination"."status"))
      order by "pets"."status" asc, "pets"."name_key" asc, "pets"."id" asc
      limit 101) as range
    limit $2::int) as matching
  order by "name_key" asc, "id" asc
  limit $3::int) as page

-- listPets, prepared: many
-- $1 = {"sold","sold"}, $2 = {"7","8"}, $3 = rea, $4 = 11, $5 = rf, $6 = 21, $7 = 21
select sum(octet_length("name")), array_agg("id"), array_agg("name"), array_agg("category_id"), array_agg("status"), array_agg("name_key")
from (
  select matching.*
  from unnest($1::pet_status[], $2::bigint[]) as combination ("status", "categoryId")
  cross join lateral (
    select *
    from (
      select "pets"."id", "pets"."name", "pets"."category_id", "pets"."status", "pets"."name_key"
      from "pets"
      where (("pets"."status", "pets"."category_id", "pets"."name_key", "pets"."id") > ("combination"."status", "combination"."categoryId", $3::text, $4::bigint)
        and ("pets"."status", "pets"."category_id", "pets"."name_key") < ("combination"."status", "combination"."categoryId", $5::text))
      order by "pets"."status" desc, "pets"."category_id" desc, "pets"."name_key" desc, "pets"."id" desc
      limit 101) as range
    limit $6::int) as matching
  order by "name_key" desc, "id" desc
  limit $7::int) as page
