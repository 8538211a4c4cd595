-- listPets, prepared: by id
-- $1 = 21
select "pets"."id", "pets"."name", "pets"."category_id", "pets"."status"
from "pets"
order by "pets"."id" asc
limit $1::int

-- listPets, prepared: a status, by id, before
-- $1 = sold, $2 = sold, $3 = 99, $4 = 21
select "pets"."id", "pets"."name", "pets"."category_id", "pets"."status"
from "pets"
where (("pets"."status") >= ($1::pet_status)
  and ("pets"."status", "pets"."id") < ($2::pet_status, $3::bigint))
order by "pets"."status" desc, "pets"."id" desc
limit $4::int

-- listPets, prepared: a prefix, by name, after
-- $1 = rea, $2 = 11, $3 = rf, $4 = 21
select "pets"."id", "pets"."name", "pets"."category_id", "pets"."status", "pets"."name_key"
from "pets"
where (("pets"."name_key", "pets"."id") > ($1::text, $2::bigint)
  and ("pets"."name_key") < ($3::text))
order by "pets"."name_key" asc, "pets"."id" asc
limit $4::int

-- listPets, not prepared: two statuses, two categories and a prefix, by id
-- $1 = {"sold","sold","pending","pending"}, $2 = {"7","8","7","8"}, $3 = re, $4 = rf, $5 = 21
select "pets"."id", "pets"."name", "pets"."category_id", "pets"."status"
from "pets"
where (("pets"."status" = any($1::pet_status[])
    and "pets"."category_id" = any($2::bigint[]))
  and "pets"."name_key" >= $3::text
  and "pets"."name_key" < $4::text)
order by "pets"."id" asc
limit $5::int

-- listPets, prepared: two statuses, by name
-- $1 = {"sold","pending"}, $2 = 21
select "pets"."id", "pets"."name", "pets"."category_id", "pets"."status", "pets"."name_key"
from "pets"
where "pets"."status" = any($1::pet_status[])
order by "pets"."name_key" asc, "pets"."id" asc
limit $2::int
