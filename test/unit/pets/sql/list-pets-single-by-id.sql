-- listPets, prepared: first
-- $1 = 21
select sum(octet_length("name")), array_agg("id"), array_agg("name"), array_agg("category_id"), array_agg("status")
from (
  select *
  from (
    select "pets"."id", "pets"."name", "pets"."category_id", "pets"."status"
    from "pets"
    order by "pets"."id" asc
    limit 101) as range
  limit $1::int) as page

-- listPets, not prepared: a prefix
-- $1 = re, $2 = rf, $3 = 21
select sum(octet_length("name")), array_agg("id"), array_agg("name"), array_agg("category_id"), array_agg("status")
from (
  select *
  from (
    select "pets"."id", "pets"."name", "pets"."category_id", "pets"."status"
    from "pets"
    where ("pets"."name_key" >= $1::text
      and "pets"."name_key" < $2::text)
    order by "pets"."id" asc
    limit 101) as range
  limit $3::int) as page

-- listPets, not prepared: many
-- $1 = sold, $2 = 7, $3 = 11, $4 = sold, $5 = 7, $6 = 99, $7 = \u{10ffff}, $8 = 21
select sum(octet_length("name")), array_agg("id"), array_agg("name"), array_agg("category_id"), array_agg("status")
from (
  select *
  from (
    select "pets"."id", "pets"."name", "pets"."category_id", "pets"."status"
    from "pets"
    where (("pets"."status", "pets"."category_id", "pets"."id") > ($1::pet_status, $2::bigint, $3::bigint)
      and ("pets"."status", "pets"."category_id", "pets"."id") < ($4::pet_status, $5::bigint, $6::bigint)
      and "pets"."name_key" >= $7::text)
    order by "pets"."status" desc, "pets"."category_id" desc, "pets"."id" desc
    limit 101) as range
  limit $8::int) as page
