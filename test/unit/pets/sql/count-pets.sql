-- countPets, not prepared
-- $1 = {"available","sold"}, $2 = {"available","sold"}, $3 = {"7","8"}, $4 = {"7","8"}, $5 = 50\%%, $6 = 50\%%
select count(*)
from "pets"
where (($1::pet_status[] is null or "pets"."status" = any($2::pet_status[]))
  and ($3::bigint[] is null or "pets"."category_id" = any($4::bigint[]))
  and ($5::text is null or "pets"."name_key" like $6::text))

-- countPetsBy, not prepared
-- $1 = NULL, $2 = NULL, $3 = {"7"}, $4 = {"7"}, $5 = NULL, $6 = NULL
select "status", count(*)
from "pets"
where (($1::pet_status[] is null or "pets"."status" = any($2::pet_status[]))
  and ($3::bigint[] is null or "pets"."category_id" = any($4::bigint[]))
  and ($5::text is null or "pets"."name_key" like $6::text)) group by "pets"."status"
