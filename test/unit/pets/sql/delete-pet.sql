-- deletePet, prepared
-- $1 = 42
delete from "pets"
where "pets"."id" = $1::bigint
returning "pets"."id", "pets"."name", "pets"."category_id", "pets"."status", "pets"."name_key"
