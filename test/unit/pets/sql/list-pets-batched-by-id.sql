-- listPets, prepared: first
-- $1 = {"21"}
select page.*, number
from unnest($1::int[]) with ordinality as request ("limit", number)
cross join lateral (
  select sum(octet_length("name")), array_agg("id"), array_agg(case when octet_length("name") <= 8192 then "name" end), array_agg("category_id"), array_agg("status")
  from (
    select *
    from (
      select "pets"."id", "pets"."name", "pets"."category_id", "pets"."status"
      from "pets"
      order by "pets"."id" asc
      limit 101) as range
    limit "request"."limit") as page) as page

-- listPets, prepared: a category
-- $1 = {"21"}, $2 = {"7"}
select page.*, number
from unnest($1::int[], $2::bigint[]) with ordinality as request ("limit", "categoryId", number)
cross join lateral (
  select sum(octet_length("name")), array_agg("id"), array_agg(case when octet_length("name") <= 8192 then "name" end), array_agg("category_id"), array_agg("status")
  from (
    select *
    from (
      select "pets"."id", "pets"."name", "pets"."category_id", "pets"."status"
      from "pets"
      where (("pets"."category_id") >= ("request"."categoryId")
        and ("pets"."category_id") <= ("request"."categoryId"))
      order by "pets"."category_id" asc, "pets"."id" asc
      limit 101) as range
    limit "request"."limit") as page) as page

-- listPets, prepared: a status
-- $1 = {"21"}, $2 = {"sold"}
select page.*, number
from unnest($1::int[], $2::pet_status[]) with ordinality as request ("limit", "status", number)
cross join lateral (
  select sum(octet_length("name")), array_agg("id"), array_agg(case when octet_length("name") <= 8192 then "name" end), array_agg("category_id"), array_agg("status")
  from (
    select *
    from (
      select "pets"."id", "pets"."name", "pets"."category_id", "pets"."status"
      from "pets"
      where (("pets"."status") >= ("request"."status")
        and ("pets"."status") <= ("request"."status"))
      order by "pets"."status" asc, "pets"."id" asc
      limit 101) as range
    limit "request"."limit") as page) as page

-- listPets, prepared: last
-- $1 = {"21"}
select page.*, number
from unnest($1::int[]) with ordinality as request ("limit", number)
cross join lateral (
  select sum(octet_length("name")), array_agg("id"), array_agg(case when octet_length("name") <= 8192 then "name" end), array_agg("category_id"), array_agg("status")
  from (
    select *
    from (
      select "pets"."id", "pets"."name", "pets"."category_id", "pets"."status"
      from "pets"
      order by "pets"."id" desc
      limit 101) as range
    limit "request"."limit") as page) as page

-- listPets, prepared: after
-- $1 = {"21"}, $2 = {"11"}
select page.*, number
from unnest($1::int[], $2::bigint[]) with ordinality as request ("limit", "lowId", number)
cross join lateral (
  select sum(octet_length("name")), array_agg("id"), array_agg(case when octet_length("name") <= 8192 then "name" end), array_agg("category_id"), array_agg("status")
  from (
    select *
    from (
      select "pets"."id", "pets"."name", "pets"."category_id", "pets"."status"
      from "pets"
      where ("pets"."id") > ("request"."lowId")
      order by "pets"."id" asc
      limit 101) as range
    limit "request"."limit") as page) as page

-- listPets, prepared: before
-- $1 = {"21"}, $2 = {"99"}
select page.*, number
from unnest($1::int[], $2::bigint[]) with ordinality as request ("limit", "highId", number)
cross join lateral (
  select sum(octet_length("name")), array_agg("id"), array_agg(case when octet_length("name") <= 8192 then "name" end), array_agg("category_id"), array_agg("status")
  from (
    select *
    from (
      select "pets"."id", "pets"."name", "pets"."category_id", "pets"."status"
      from "pets"
      where ("pets"."id") < ("request"."highId")
      order by "pets"."id" asc
      limit 101) as range
    limit "request"."limit") as page) as page

-- listPets, prepared: many
-- $1 = {"21"}, $2 = {"sold"}, $3 = {"7"}, $4 = {"11"}, $5 = {"99"}
select page.*, number
from unnest($1::int[], $2::pet_status[], $3::bigint[], $4::bigint[], $5::bigint[]) with ordinality as request ("limit", "status", "categoryId", "lowId", "highId", number)
cross join lateral (
  select sum(octet_length("name")), array_agg("id"), array_agg(case when octet_length("name") <= 8192 then "name" end), array_agg("category_id"), array_agg("status")
  from (
    select *
    from (
      select "pets"."id", "pets"."name", "pets"."category_id", "pets"."status"
      from "pets"
      where (("pets"."status", "pets"."category_id", "pets"."id") > ("request"."status", "request"."categoryId", "request"."lowId")
        and ("pets"."status", "pets"."category_id", "pets"."id") < ("request"."status", "request"."categoryId", "request"."highId"))
      order by "pets"."status" desc, "pets"."category_id" desc, "pets"."id" desc
      limit 101) as range
    limit "request"."limit") as page) as page
