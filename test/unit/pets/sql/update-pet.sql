-- updatePet, prepared: name
-- $1 = Rex, $2 = 42, $3 = {}, $4 = {}, $5 = {}, $6 = {}, $7 = {}, $8 = {}
update "pets"
set "name" = $1
where "pets"."id" = $2::bigint
and (not $3::jsonb ? 'name' or "pets"."name" is not distinct
  from ($4::jsonb ->> 'name')::varchar)
and (not $5::jsonb ? 'categoryId' or "pets"."category_id" is not distinct
  from ($6::jsonb ->> 'categoryId')::bigint)
and (not $7::jsonb ? 'status' or "pets"."status" is not distinct
  from ($8::jsonb ->> 'status')::pet_status)
returning "id", "name", "category_id", "status"

-- updatePet, prepared: categoryId
-- $1 = 7, $2 = 42, $3 = {}, $4 = {}, $5 = {}, $6 = {}, $7 = {}, $8 = {}
update "pets"
set "category_id" = $1
where "pets"."id" = $2::bigint
and (not $3::jsonb ? 'name' or "pets"."name" is not distinct
  from ($4::jsonb ->> 'name')::varchar)
and (not $5::jsonb ? 'categoryId' or "pets"."category_id" is not distinct
  from ($6::jsonb ->> 'categoryId')::bigint)
and (not $7::jsonb ? 'status' or "pets"."status" is not distinct
  from ($8::jsonb ->> 'status')::pet_status)
returning "id", "name", "category_id", "status"

-- updatePet, prepared: status
-- $1 = sold, $2 = 42, $3 = {}, $4 = {}, $5 = {}, $6 = {}, $7 = {}, $8 = {}
update "pets"
set "status" = $1
where "pets"."id" = $2::bigint
and (not $3::jsonb ? 'name' or "pets"."name" is not distinct
  from ($4::jsonb ->> 'name')::varchar)
and (not $5::jsonb ? 'categoryId' or "pets"."category_id" is not distinct
  from ($6::jsonb ->> 'categoryId')::bigint)
and (not $7::jsonb ? 'status' or "pets"."status" is not distinct
  from ($8::jsonb ->> 'status')::pet_status)
returning "id", "name", "category_id", "status"

-- updatePet, prepared: status
-- $1 = NULL, $2 = 42, $3 = {}, $4 = {}, $5 = {}, $6 = {}, $7 = {}, $8 = {}
update "pets"
set "status" = $1
where "pets"."id" = $2::bigint
and (not $3::jsonb ? 'name' or "pets"."name" is not distinct
  from ($4::jsonb ->> 'name')::varchar)
and (not $5::jsonb ? 'categoryId' or "pets"."category_id" is not distinct
  from ($6::jsonb ->> 'categoryId')::bigint)
and (not $7::jsonb ? 'status' or "pets"."status" is not distinct
  from ($8::jsonb ->> 'status')::pet_status)
returning "id", "name", "category_id", "status"

-- updatePet, prepared: name, categoryId, status
-- $1 = Rex, $2 = 7, $3 = sold, $4 = 42, $5 = {}, $6 = {}, $7 = {}, $8 = {}, $9 = {}, $10 = {}
update "pets"
set "name" = $1, "category_id" = $2, "status" = $3
where "pets"."id" = $4::bigint
and (not $5::jsonb ? 'name' or "pets"."name" is not distinct
  from ($6::jsonb ->> 'name')::varchar)
and (not $7::jsonb ? 'categoryId' or "pets"."category_id" is not distinct
  from ($8::jsonb ->> 'categoryId')::bigint)
and (not $9::jsonb ? 'status' or "pets"."status" is not distinct
  from ($10::jsonb ->> 'status')::pet_status)
returning "id", "name", "category_id", "status"
