-- updatePet, prepared: name
-- $1 = Rex, $2 = 42
update "pets"
set "name" = $1::text
where "pets"."id" = $2::bigint
returning "pets"."id", "pets"."name", "pets"."category_id", "pets"."status", "pets"."name_key"

-- updatePet, prepared: categoryId
-- $1 = 7, $2 = 42
update "pets"
set "category_id" = $1::bigint
where "pets"."id" = $2::bigint
returning "pets"."id", "pets"."name", "pets"."category_id", "pets"."status", "pets"."name_key"

-- updatePet, prepared: status
-- $1 = sold, $2 = 42
update "pets"
set "status" = $1::pet_status
where "pets"."id" = $2::bigint
returning "pets"."id", "pets"."name", "pets"."category_id", "pets"."status", "pets"."name_key"

-- updatePet, prepared: status
-- $1 = NULL, $2 = 42
update "pets"
set "status" = $1::pet_status
where "pets"."id" = $2::bigint
returning "pets"."id", "pets"."name", "pets"."category_id", "pets"."status", "pets"."name_key"

-- updatePet, prepared: name, categoryId, status
-- $1 = Rex, $2 = 7, $3 = sold, $4 = 42
update "pets"
set "name" = $1::text, "category_id" = $2::bigint, "status" = $3::pet_status
where "pets"."id" = $4::bigint
returning "pets"."id", "pets"."name", "pets"."category_id", "pets"."status", "pets"."name_key"
