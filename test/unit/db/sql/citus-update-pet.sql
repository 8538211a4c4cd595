-- updatePet, prepared
-- $1 = Rex, $2 = 7, $3 = sold, $4 = 42, $5 = 42
update "pets"
set "name" = $1::varchar, "category_id" = $2::bigint, "status" = $3::pet_status
from (
  select "id", "name", "category_id", "status", "name_key"
  from "pets"
  where "pets"."id" = $4::bigint for update) as old
where "pets"."id" = $5::bigint
and "pets"."id" = old."id"
returning "pets"."id", "pets"."name", "pets"."category_id", "pets"."status", "pets"."name_key", old."id", old."name", old."category_id", old."status", old."name_key"
