-- updatePet, prepared: name
-- $1 = Rex, $2 = 42
update "pets"
set "name" = $1
where "pets"."id" = $2::bigint
returning "id", "name", "category_id", "status"

-- updatePet, prepared: categoryId
-- $1 = 7, $2 = 42
update "pets"
set "category_id" = $1
where "pets"."id" = $2::bigint
returning "id", "name", "category_id", "status"

-- updatePet, prepared: status
-- $1 = sold, $2 = 42
update "pets"
set "status" = $1
where "pets"."id" = $2::bigint
returning "id", "name", "category_id", "status"

-- updatePet, prepared: status
-- $1 = NULL, $2 = 42
update "pets"
set "status" = $1
where "pets"."id" = $2::bigint
returning "id", "name", "category_id", "status"

-- updatePet, prepared: name, categoryId, status
-- $1 = Rex, $2 = 7, $3 = sold, $4 = 42
update "pets"
set "name" = $1, "category_id" = $2, "status" = $3
where "pets"."id" = $4::bigint
returning "id", "name", "category_id", "status"
