-- countPets, not prepared: {}
select count(*)
from "pets"

-- countPets, not prepared: {"status":["available","sold"]}
-- $1 = {"available","sold"}
select count(*)
from "pets"
where "pets"."status" = any($1::pet_status[])

-- countPets, not prepared: {"categoryId":["7","8"]}
-- $1 = {"7","8"}
select count(*)
from "pets"
where "pets"."category_id" = any($1::bigint[])

-- countPets, not prepared: {"namePrefix":"re"}
-- $1 = re, $2 = rf
select count(*)
from "pets"
where ("pets"."name_key" >= $1::text
  and "pets"."name_key" < $2::text)

-- countPets, not prepared: {"namePrefix":"\u{10ffff}"}
-- $1 = \u{10ffff}
select count(*)
from "pets"
where "pets"."name_key" >= $1::text

-- countPets, not prepared: {"status":["available","sold"],"categoryId":["7","8"],"namePrefix":"re"}
-- $1 = {"available","sold"}, $2 = {"7","8"}, $3 = re, $4 = rf
select count(*)
from "pets"
where ("pets"."status" = any($1::pet_status[])
  and "pets"."category_id" = any($2::bigint[])
  and "pets"."name_key" >= $3::text
  and "pets"."name_key" < $4::text)
