-- deletePet, prepared
-- $1 = 42, $2 = {}
delete from "pets"
where "pets"."id" = $1::bigint
and jsonb_build_object('name', "pets"."name"::text, 'categoryId', "pets"."category_id"::text, 'status', "pets"."status"::text) @> $2::jsonb
returning "id", "name", "category_id", "status"
