-- drawIds, prepared
-- $1 = 2
select nextval('pets_id_seq')::text
from generate_series(1, $1::int)

-- createPets, not prepared
-- $1 = 11, $2 = Rex, $3 = 7, $4 = sold, $5 = 12, $6 = Rex, $7 = 7, $8 = NULL
insert into "pets" ("id", "name", "category_id", "status") values ($1::bigint, $2::varchar, $3::bigint, $4::pet_status), ($5::bigint, $6::varchar, $7::bigint, $8::pet_status)
returning "pets"."id", "pets"."name", "pets"."category_id", "pets"."status", "pets"."name_key"
