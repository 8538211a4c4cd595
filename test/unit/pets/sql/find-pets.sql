-- findPets, prepared
-- $1 = {"1","2"}
select "id", "name", "category_id", "status"
from "pets"
where "pets"."id" = any($1::bigint[])
