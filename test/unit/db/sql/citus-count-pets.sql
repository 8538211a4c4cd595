-- countPets, not prepared
-- $1 = re, $2 = rf
select count(*)
from "pets"
where ("pets"."name_key" >= $1::text
  and "pets"."name_key" < $2::text)
