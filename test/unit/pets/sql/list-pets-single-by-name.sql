-- listPets, prepared: first
-- $1 = 21
select sum(octet_length("name")), array_agg("id"), array_agg("name"), array_agg("category_id"), array_agg("status"), array_agg("name_key")
from (
  select *
  from (
    select "pets"."id", "pets"."name", "pets"."category_id", "pets"."status", "pets"."name_key"
    from "pets"
    order by "pets"."name_key" asc, "pets"."id" asc
    limit 101) as range
  limit $1::int) as page

-- listPets, prepared: many
-- $1 = sold, $2 = 7, $3 = rea, $4 = 11, $5 = sold, $6 = 7, $7 = rf, $8 = 21
select sum(octet_length("name")), array_agg("id"), array_agg("name"), array_agg("category_id"), array_agg("status"), array_agg("name_key")
from (
  select *
  from (
    select "pets"."id", "pets"."name", "pets"."category_id", "pets"."status", "pets"."name_key"
    from "pets"
    where (("pets"."status", "pets"."category_id", "pets"."name_key", "pets"."id") > ($1::pet_status, $2::bigint, $3::text, $4::bigint)
      and ("pets"."status", "pets"."category_id", "pets"."name_key") < ($5::pet_status, $6::bigint, $7::text))
    order by "pets"."status" desc, "pets"."category_id" desc, "pets"."name_key" desc, "pets"."id" desc
    limit 101) as range
  limit $8::int) as page
