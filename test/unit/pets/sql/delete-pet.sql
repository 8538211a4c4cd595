-- deletePet, prepared
-- $1 = 42
delete from "pets"
where "pets"."id" = $1::bigint
returning "id", "name", "category_id", "status"
