-- listPets, prepared: by id
-- $1 = {"21"}, $2 = {null}, $3 = {null}, $4 = {null}
select page.*, number
from unnest($1::int[], $2::text[], $3::text[], $4::bigint[]) with ordinality as request (most, value, key, id, number)
cross join lateral (
  select array_agg("id"), array_agg("name"), array_agg("category_id"), array_agg("status")
  from (
    select *
    from (
      select "pets"."id", "pets"."name", "pets"."category_id", "pets"."status"
      from "pets"
      where true
      order by "pets"."id" asc
      limit 101) as part
    limit request.most) as item) as page

-- listPets, prepared: a status, after
-- $1 = {"21"}, $2 = {"sold"}, $3 = {null}, $4 = {"11"}
select page.*, number
from unnest($1::int[], $2::pet_status[], $3::text[], $4::bigint[]) with ordinality as request (most, value, key, id, number)
cross join lateral (
  select array_agg("id"), array_agg("name"), array_agg("category_id"), array_agg("status")
  from (
    select *
    from (
      select "pets"."id", "pets"."name", "pets"."category_id", "pets"."status"
      from "pets"
      where ("pets"."status" = any(array[request.value])
        and ("pets"."id") > (request.id))
      order by "pets"."status" asc, "pets"."id" asc
      limit 101) as part
    limit request.most) as item) as page

-- listPets, prepared: a category, last
-- $1 = {"21"}, $2 = {"7"}, $3 = {null}, $4 = {null}
select page.*, number
from unnest($1::int[], $2::bigint[], $3::text[], $4::bigint[]) with ordinality as request (most, value, key, id, number)
cross join lateral (
  select array_agg("id"), array_agg("name"), array_agg("category_id"), array_agg("status")
  from (
    select *
    from (
      select "pets"."id", "pets"."name", "pets"."category_id", "pets"."status"
      from "pets"
      where "pets"."category_id" = any(array[request.value])
      order by "pets"."category_id" desc, "pets"."id" desc
      limit 101) as part
    limit request.most) as item) as page

-- listPets, prepared: by name, after
-- $1 = {"21"}, $2 = {null}, $3 = {"rea"}, $4 = {"11"}
select page.*, number
from unnest($1::int[], $2::text[], $3::text[], $4::bigint[]) with ordinality as request (most, value, key, id, number)
cross join lateral (
  select array_agg("id"), array_agg("name"), array_agg("category_id"), array_agg("status"), array_agg("name_key")
  from (
    select *
    from (
      select "pets"."id", "pets"."name", "pets"."category_id", "pets"."status", "pets"."name_key"
      from "pets"
      where ("pets"."name_key", "pets"."id") > (request.key, request.id)
      order by "pets"."name_key" asc, "pets"."id" asc
      limit 101) as part
    limit request.most) as item) as page

-- listPets, prepared: by name, last, before
-- $1 = {"21"}, $2 = {null}, $3 = {"rea"}, $4 = {"11"}
select page.*, number
from unnest($1::int[], $2::text[], $3::text[], $4::bigint[]) with ordinality as request (most, value, key, id, number)
cross join lateral (
  select array_agg("id"), array_agg("name"), array_agg("category_id"), array_agg("status"), array_agg("name_key")
  from (
    select *
    from (
      select "pets"."id", "pets"."name", "pets"."category_id", "pets"."status", "pets"."name_key"
      from "pets"
      where ("pets"."name_key", "pets"."id") < (request.key, request.id)
      order by "pets"."name_key" desc, "pets"."id" desc
      limit 101) as part
    limit request.most) as item) as page
