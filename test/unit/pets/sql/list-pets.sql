-- listPets, not prepared: by id, between two
-- $1 = {"available","sold"}, $2 = {"available","sold"}, $3 = {"7","8"}, $4 = {"7","8"}, $5 = 50\%%, $6 = 50\%%, $7 = 11, $8 = 11, $9 = 99, $10 = 99, $11 = 21
with page as materialized (
  select "id", "name", "category_id", "status"
  from "pets"
  where (($1::pet_status[] is null or "pets"."status" = any($2::pet_status[]))
    and ($3::bigint[] is null or "pets"."category_id" = any($4::bigint[]))
    and ($5::text is null or "pets"."name_key" like $6::text)
    and ($7::bigint is null or "pets"."id" > $8::bigint)
    and ($9::bigint is null or "pets"."id" < $10::bigint))
  order by "pets"."id" asc
  limit 10000)
select *
from page
limit $11::int

-- listPets, not prepared: by name, last, before
-- $1 = {"available","sold"}, $2 = {"available","sold"}, $3 = {"7","8"}, $4 = {"7","8"}, $5 = 50\%%, $6 = 50\%%, $7 = 11, $8 = rea, $9 = 11, $10 = NULL, $11 = NULL, $12 = NULL, $13 = 21
with page as materialized (
  select "id", "name", "category_id", "status", "name_key"
  from "pets"
  where (($1::pet_status[] is null or "pets"."status" = any($2::pet_status[]))
    and ($3::bigint[] is null or "pets"."category_id" = any($4::bigint[]))
    and ($5::text is null or "pets"."name_key" like $6::text)
    and ($7::bigint is null or ("pets"."name_key", "pets"."id") < ($8::text, $9::bigint))
    and ($10::bigint is null or ("pets"."name_key", "pets"."id") > ($11::text, $12::bigint)))
  order by "pets"."name_key" desc, "pets"."id" desc
  limit 10000)
select *
from page
limit $13::int
