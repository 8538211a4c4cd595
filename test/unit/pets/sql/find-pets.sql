-- findPets, prepared
-- $1 = {"1","2"}
select "pets"."id", "pets"."name", "pets"."category_id", "pets"."status"
from "pets"
where "pets"."id" = any($1::bigint[])
