-- listPets, prepared: first
-- $1 = {"21"}
select page.*, number
from unnest($1::int[]) with ordinality as request ("limit", number)
cross join lateral (
  select sum(octet_length("name")), array_agg("id"), array_agg(case when octet_length("name") <= 8192 then "name" end), array_agg("category_id"), array_agg("status"), array_agg("name_key")
  from (
    select *
    from (
      select "pets"."id", "pets"."name", "pets"."category_id", "pets"."status", "pets"."name_key"
      from "pets"
      order by "pets"."name_key" asc, "pets"."id" asc
      limit 101) as range
    limit "request"."limit") as page) as page

-- listPets, prepared: a category
-- $1 = {"21"}, $2 = {"7"}
select page.*, number
from unnest($1::int[], $2::bigint[]) with ordinality as request ("limit", "categoryId", number)
cross join lateral (
  select sum(octet_length("name")), array_agg("id"), array_agg(case when octet_length("name") <= 8192 then "name" end), array_agg("category_id"), array_agg("status"), array_agg("name_key")
  from (
    select *
    from (
      select "pets"."id", "pets"."name", "pets"."category_id", "pets"."status", "pets"."name_key"
      from "pets"
      where (("pets"."category_id") >= ("request"."categoryId")
        and ("pets"."category_id") <= ("request"."categoryId"))
      order by "pets"."category_id" asc, "pets"."name_key" asc, "pets"."id" asc
      limit 101) as range
    limit "request"."limit") as page) as page

-- listPets, prepared: a status
-- $1 = {"21"}, $2 = {"sold"}
select page.*, number
from unnest($1::int[], $2::pet_status[]) with ordinality as request ("limit", "status", number)
cross join lateral (
  select sum(octet_length("name")), array_agg("id"), array_agg(case when octet_length("name") <= 8192 then "name" end), array_agg("category_id"), array_agg("status"), array_agg("name_key")
  from (
    select *
    from (
      select "pets"."id", "pets"."name", "pets"."category_id", "pets"."status", "pets"."name_key"
      from "pets"
      where (("pets"."status") >= ("request"."status")
        and ("pets"."status") <= ("request"."status"))
      order by "pets"."status" asc, "pets"."name_key" asc, "pets"."id" asc
      limit 101) as range
    limit "request"."limit") as page) as page

-- listPets, prepared: last
-- $1 = {"21"}
select page.*, number
from unnest($1::int[]) with ordinality as request ("limit", number)
cross join lateral (
  select sum(octet_length("name")), array_agg("id"), array_agg(case when octet_length("name") <= 8192 then "name" end), array_agg("category_id"), array_agg("status"), array_agg("name_key")
  from (
    select *
    from (
      select "pets"."id", "pets"."name", "pets"."category_id", "pets"."status", "pets"."name_key"
      from "pets"
      order by "pets"."name_key" desc, "pets"."id" desc
      limit 101) as range
    limit "request"."limit") as page) as page

-- listPets, prepared: after
-- $1 = {"21"}, $2 = {"rea"}, $3 = {"11"}
select page.*, number
from unnest($1::int[], $2::text[], $3::bigint[]) with ordinality as request ("limit", "lowKey", "lowId", number)
cross join lateral (
  select sum(octet_length("name")), array_agg("id"), array_agg(case when octet_length("name") <= 8192 then "name" end), array_agg("category_id"), array_agg("status"), array_agg("name_key")
  from (
    select *
    from (
      select "pets"."id", "pets"."name", "pets"."category_id", "pets"."status", "pets"."name_key"
      from "pets"
      where ("pets"."name_key", "pets"."id") > ("request"."lowKey", "request"."lowId")
      order by "pets"."name_key" asc, "pets"."id" asc
      limit 101) as range
    limit "request"."limit") as page) as page

-- listPets, prepared: before
-- $1 = {"21"}, $2 = {"rez"}, $3 = {"99"}
select page.*, number
from unnest($1::int[], $2::text[], $3::bigint[]) with ordinality as request ("limit", "highKey", "highId", number)
cross join lateral (
  select sum(octet_length("name")), array_agg("id"), array_agg(case when octet_length("name") <= 8192 then "name" end), array_agg("category_id"), array_agg("status"), array_agg("name_key")
  from (
    select *
    from (
      select "pets"."id", "pets"."name", "pets"."category_id", "pets"."status", "pets"."name_key"
      from "pets"
      where ("pets"."name_key", "pets"."id") < ("request"."highKey", "request"."highId")
      order by "pets"."name_key" asc, "pets"."id" asc
      limit 101) as range
    limit "request"."limit") as page) as page

-- listPets, prepared: a prefix
-- $1 = {"21"}, $2 = {"re"}, $3 = {"rf"}
select page.*, number
from unnest($1::int[], $2::text[], $3::text[]) with ordinality as request ("limit", "lowKey", "highKey", number)
cross join lateral (
  select sum(octet_length("name")), array_agg("id"), array_agg(case when octet_length("name") <= 8192 then "name" end), array_agg("category_id"), array_agg("status"), array_agg("name_key")
  from (
    select *
    from (
      select "pets"."id", "pets"."name", "pets"."category_id", "pets"."status", "pets"."name_key"
      from "pets"
      where (("pets"."name_key") >= ("request"."lowKey")
        and ("pets"."name_key") < ("request"."highKey"))
      order by "pets"."name_key" asc, "pets"."id" asc
      limit 101) as range
    limit "request"."limit") as page) as page

-- listPets, prepared: an endless prefix
-- $1 = {"21"}, $2 = {"\u{10ffff}"}
select page.*, number
from unnest($1::int[], $2::text[]) with ordinality as request ("limit", "lowKey", number)
cross join lateral (
  select sum(octet_length("name")), array_agg("id"), array_agg(case when octet_length("name") <= 8192 then "name" end), array_agg("category_id"), array_agg("status"), array_agg("name_key")
  from (
    select *
    from (
      select "pets"."id", "pets"."name", "pets"."category_id", "pets"."status", "pets"."name_key"
      from "pets"
      where ("pets"."name_key") >= ("request"."lowKey")
      order by "pets"."name_key" asc, "pets"."id" asc
      limit 101) as range
    limit "request"."limit") as page) as page

-- listPets, prepared: many
-- $1 = {"21"}, $2 = {"sold"}, $3 = {"7"}, $4 = {"rea"}, $5 = {"11"}, $6 = {"rf"}
select page.*, number
from unnest($1::int[], $2::pet_status[], $3::bigint[], $4::text[], $5::bigint[], $6::text[]) with ordinality as request ("limit", "status", "categoryId", "lowKey", "lowId", "highKey", number)
cross join lateral (
  select sum(octet_length("name")), array_agg("id"), array_agg(case when octet_length("name") <= 8192 then "name" end), array_agg("category_id"), array_agg("status"), array_agg("name_key")
  from (
    select *
    from (
      select "pets"."id", "pets"."name", "pets"."category_id", "pets"."status", "pets"."name_key"
      from "pets"
      where (("pets"."status", "pets"."category_id", "pets"."name_key", "pets"."id") > ("request"."status", "request"."categoryId", "request"."lowKey", "request"."lowId")
        and ("pets"."status", "pets"."category_id", "pets"."name_key") < ("request"."status", "request"."categoryId", "request"."highKey"))
      order by "pets"."status" desc, "pets"."category_id" desc, "pets"."name_key" desc, "pets"."id" desc
      limit 101) as range
    limit "request"."limit") as page) as page
