-- countPets, not prepared
-- $1 = NULL, $2 = NULL, $3 = NULL, $4 = NULL, $5 = re%, $6 = re%
select count(*)
from "pets"
where (($1::pet_status[] is null or "pets"."status" = any($2::pet_status[]))
  and ($3::bigint[] is null or "pets"."category_id" = any($4::bigint[]))
  and ($5::text is null or "pets"."name_key" like $6::text))
