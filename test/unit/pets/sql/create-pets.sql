-- createPets, prepared
-- $1 = {"Rex","Rex"}, $2 = {"7","7"}, $3 = {"sold",null}
with numbered as materialized (
  select number, nextval('pets_id_seq') as "id", "name", "category_id", "status"
  from unnest($1::varchar[], $2::bigint[], $3::pet_status[]) with ordinality as request ("name", "category_id", "status", number)),
created as (
  insert into "pets" ("id", "name", "category_id", "status")
  select "id", "name", "category_id", "status"
  from numbered)
select "id"
from numbered
order by number
