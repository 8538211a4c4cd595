-- deletePet, prepared
-- $1 = 42, $2 = {}, $3 = {}, $4 = {}, $5 = {}, $6 = {}, $7 = {}
delete from "pets"
where "pets"."id" = $1::bigint
and (not $2::jsonb ? 'name' or "pets"."name" is not distinct
  from ($3::jsonb ->> 'name')::varchar)
and (not $4::jsonb ? 'categoryId' or "pets"."category_id" is not distinct
  from ($5::jsonb ->> 'categoryId')::bigint)
and (not $6::jsonb ? 'status' or "pets"."status" is not distinct
  from ($7::jsonb ->> 'status')::pet_status)
returning "id", "name", "category_id", "status"
