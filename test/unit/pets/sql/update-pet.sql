-- updatePet, prepared: alone
-- $1 = NULL, $2 = 42
update "pets"
set "status" = $1
where "pets"."id" = $2::bigint
returning "id", "name", "category_id", "status"

-- updatePet, not prepared: compared
-- $1 = Rex, $2 = 7, $3 = sold, $4 = 42, $5 = NULL
update "pets"
set "name" = $1, "category_id" = $2, "status" = $3
where "pets"."id" = $4::bigint
and "pets"."status" is not distinct
from $5::pet_status
returning "id", "name", "category_id", "status"
