-- updatePet, prepared: name
-- $1 = Rex, $2 = 42, $3 = {}
update "pets"
set "name" = $1
where "pets"."id" = $2::bigint
and jsonb_build_object('name', "pets"."name"::text, 'categoryId', "pets"."category_id"::text, 'status', "pets"."status"::text) @> $3::jsonb
returning "id", "name", "category_id", "status"

-- updatePet, prepared: categoryId
-- $1 = 7, $2 = 42, $3 = {}
update "pets"
set "category_id" = $1
where "pets"."id" = $2::bigint
and jsonb_build_object('name', "pets"."name"::text, 'categoryId', "pets"."category_id"::text, 'status', "pets"."status"::text) @> $3::jsonb
returning "id", "name", "category_id", "status"

-- updatePet, prepared: status
-- $1 = sold, $2 = 42, $3 = {}
update "pets"
set "status" = $1
where "pets"."id" = $2::bigint
and jsonb_build_object('name', "pets"."name"::text, 'categoryId', "pets"."category_id"::text, 'status', "pets"."status"::text) @> $3::jsonb
returning "id", "name", "category_id", "status"

-- updatePet, prepared: status
-- $1 = NULL, $2 = 42, $3 = {}
update "pets"
set "status" = $1
where "pets"."id" = $2::bigint
and jsonb_build_object('name', "pets"."name"::text, 'categoryId', "pets"."category_id"::text, 'status', "pets"."status"::text) @> $3::jsonb
returning "id", "name", "category_id", "status"

-- updatePet, prepared: name, categoryId, status
-- $1 = Rex, $2 = 7, $3 = sold, $4 = 42, $5 = {}
update "pets"
set "name" = $1, "category_id" = $2, "status" = $3
where "pets"."id" = $4::bigint
and jsonb_build_object('name', "pets"."name"::text, 'categoryId', "pets"."category_id"::text, 'status', "pets"."status"::text) @> $5::jsonb
returning "id", "name", "category_id", "status"
