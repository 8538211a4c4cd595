-- listPets, not prepared: a status, by name
-- $1 = {"sold"}, $2 = {"sold"}, $3 = NULL, $4 = NULL, $5 = NULL, $6 = NULL, $7 = 11, $8 = rea, $9 = 11, $10 = NULL, $11 = NULL, $12 = NULL, $13 = 21
select "id", "name", "category_id", "status", "name_key"
from "pets"
where (($1::pet_status[] is null or "pets"."status" = any($2::pet_status[]))
  and ($3::bigint[] is null or "pets"."category_id" = any($4::bigint[]))
  and ($5::text is null or "pets"."name_key" like $6::text)
  and ($7::bigint is null or ("pets"."name_key", "pets"."id") > ($8::text, $9::bigint))
  and ($10::bigint is null or ("pets"."name_key", "pets"."id") < ($11::text, $12::bigint)))
order by "pets"."name_key" asc, "pets"."id" asc
limit $13::int

-- listPets, not prepared: a category, by id
-- $1 = NULL, $2 = NULL, $3 = {"7"}, $4 = {"7"}, $5 = NULL, $6 = NULL, $7 = NULL, $8 = NULL, $9 = NULL, $10 = NULL, $11 = 21
select "id", "name", "category_id", "status"
from "pets"
where (($1::pet_status[] is null or "pets"."status" = any($2::pet_status[]))
  and ($3::bigint[] is null or "pets"."category_id" = any($4::bigint[]))
  and ($5::text is null or "pets"."name_key" like $6::text)
  and ($7::bigint is null or "pets"."id" > $8::bigint)
  and ($9::bigint is null or "pets"."id" < $10::bigint))
order by "pets"."category_id" asc, "pets"."id" asc
limit $11::int
