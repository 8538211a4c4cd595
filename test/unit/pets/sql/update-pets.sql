-- updatePets, prepared
-- $1 = {"43","42"}, $2 = {"Rex",null}, $3 = {"7",null}, $4 = {"sold",null}, $5 = {"true","false"}, $6 = {"true","false"}, $7 = {"true","true"}
with locked as (
  select request.*
  from unnest((
      select $1::bigint[]), $2::varchar[], $3::bigint[], $4::pet_status[], $5::boolean[], $6::boolean[], $7::boolean[]) as request ("id", "name", "categoryId", "status", "name.given", "categoryId.given", "status.given") join "pets" on "pets"."id" = request."id" for no key update of "pets" skip locked) update "pets"
set "name" = case when locked."name.given" then locked."name" else "pets"."name" end, "category_id" = case when locked."categoryId.given" then locked."categoryId" else "pets"."category_id" end, "status" = case when locked."status.given" then locked."status" else "pets"."status" end
from locked
where "pets"."id" = locked."id"
returning "pets"."id", "pets"."name", "pets"."category_id", "pets"."status"
