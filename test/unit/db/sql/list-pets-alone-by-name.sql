-- listPets, prepared: ASC, from the start
-- $1 = 21
select sum(octet_length("name")), array_agg("id"), array_agg("name"), array_agg("category_id"), array_agg("status"), array_agg(name_key)
from (
  select *
  from (
    select "pets"."id", "pets"."name", "pets"."category_id", "pets"."status", (lower(left("pets"."name", 500) collate "pet_names") collate "C") as name_key
    from "pets"
    order by (lower(left("pets"."name", 500) collate "pet_names") collate "C") asc, "pets"."id" asc
    limit 101) as range
  limit $1::int) as page

-- listPets, prepared: ASC, from the start, before
-- $1 = rez, $2 = 99, $3 = 21
select sum(octet_length("name")), array_agg("id"), array_agg("name"), array_agg("category_id"), array_agg("status"), array_agg(name_key)
from (
  select *
  from (
    select "pets"."id", "pets"."name", "pets"."category_id", "pets"."status", (lower(left("pets"."name", 500) collate "pet_names") collate "C") as name_key
    from "pets"
    where ((lower(left("pets"."name", 500) collate "pet_names") collate "C"), "pets"."id") < ($1::text, $2::bigint)
    order by (lower(left("pets"."name", 500) collate "pet_names") collate "C") asc, "pets"."id" asc
    limit 101) as range
  limit $3::int) as page

-- listPets, prepared: ASC, from the start, after
-- $1 = rea, $2 = 11, $3 = 21
select sum(octet_length("name")), array_agg("id"), array_agg("name"), array_agg("category_id"), array_agg("status"), array_agg(name_key)
from (
  select *
  from (
    select "pets"."id", "pets"."name", "pets"."category_id", "pets"."status", (lower(left("pets"."name", 500) collate "pet_names") collate "C") as name_key
    from "pets"
    where ((lower(left("pets"."name", 500) collate "pet_names") collate "C"), "pets"."id") > ($1::text, $2::bigint)
    order by (lower(left("pets"."name", 500) collate "pet_names") collate "C") asc, "pets"."id" asc
    limit 101) as range
  limit $3::int) as page

-- listPets, prepared: ASC, from the start, after, before
-- $1 = rea, $2 = 11, $3 = rez, $4 = 99, $5 = 21
select sum(octet_length("name")), array_agg("id"), array_agg("name"), array_agg("category_id"), array_agg("status"), array_agg(name_key)
from (
  select *
  from (
    select "pets"."id", "pets"."name", "pets"."category_id", "pets"."status", (lower(left("pets"."name", 500) collate "pet_names") collate "C") as name_key
    from "pets"
    where (((lower(left("pets"."name", 500) collate "pet_names") collate "C"), "pets"."id") > ($1::text, $2::bigint)
      and ((lower(left("pets"."name", 500) collate "pet_names") collate "C"), "pets"."id") < ($3::text, $4::bigint))
    order by (lower(left("pets"."name", 500) collate "pet_names") collate "C") asc, "pets"."id" asc
    limit 101) as range
  limit $5::int) as page

-- listPets, prepared: ASC, from the start, a prefix
-- $1 = re, $2 = rf, $3 = 21
select sum(octet_length("name")), array_agg("id"), array_agg("name"), array_agg("category_id"), array_agg("status"), array_agg(name_key)
from (
  select *
  from (
    select "pets"."id", "pets"."name", "pets"."category_id", "pets"."status", (lower(left("pets"."name", 500) collate "pet_names") collate "C") as name_key
    from "pets"
    where (((lower(left("pets"."name", 500) collate "pet_names") collate "C")) >= ($1::text)
      and ((lower(left("pets"."name", 500) collate "pet_names") collate "C")) < ($2::text))
    order by (lower(left("pets"."name", 500) collate "pet_names") collate "C") asc, "pets"."id" asc
    limit 101) as range
  limit $3::int) as page

-- listPets, prepared: ASC, from the start, a prefix, before
-- $1 = re, $2 = rez, $3 = 99, $4 = 21
select sum(octet_length("name")), array_agg("id"), array_agg("name"), array_agg("category_id"), array_agg("status"), array_agg(name_key)
from (
  select *
  from (
    select "pets"."id", "pets"."name", "pets"."category_id", "pets"."status", (lower(left("pets"."name", 500) collate "pet_names") collate "C") as name_key
    from "pets"
    where (((lower(left("pets"."name", 500) collate "pet_names") collate "C")) >= ($1::text)
      and ((lower(left("pets"."name", 500) collate "pet_names") collate "C"), "pets"."id") < ($2::text, $3::bigint))
    order by (lower(left("pets"."name", 500) collate "pet_names") collate "C") asc, "pets"."id" asc
    limit 101) as range
  limit $4::int) as page

-- listPets, prepared: ASC, from the start, a prefix, after
-- $1 = rea, $2 = 11, $3 = rf, $4 = 21
select sum(octet_length("name")), array_agg("id"), array_agg("name"), array_agg("category_id"), array_agg("status"), array_agg(name_key)
from (
  select *
  from (
    select "pets"."id", "pets"."name", "pets"."category_id", "pets"."status", (lower(left("pets"."name", 500) collate "pet_names") collate "C") as name_key
    from "pets"
    where (((lower(left("pets"."name", 500) collate "pet_names") collate "C"), "pets"."id") > ($1::text, $2::bigint)
      and ((lower(left("pets"."name", 500) collate "pet_names") collate "C")) < ($3::text))
    order by (lower(left("pets"."name", 500) collate "pet_names") collate "C") asc, "pets"."id" asc
    limit 101) as range
  limit $4::int) as page

-- listPets, prepared: ASC, from the start, a prefix without an upper end
-- $1 = \u{10ffff}, $2 = 21
select sum(octet_length("name")), array_agg("id"), array_agg("name"), array_agg("category_id"), array_agg("status"), array_agg(name_key)
from (
  select *
  from (
    select "pets"."id", "pets"."name", "pets"."category_id", "pets"."status", (lower(left("pets"."name", 500) collate "pet_names") collate "C") as name_key
    from "pets"
    where ((lower(left("pets"."name", 500) collate "pet_names") collate "C")) >= ($1::text)
    order by (lower(left("pets"."name", 500) collate "pet_names") collate "C") asc, "pets"."id" asc
    limit 101) as range
  limit $2::int) as page

-- listPets, prepared: ASC, from the start, a category
-- $1 = 7, $2 = 7, $3 = 21
select sum(octet_length("name")), array_agg("id"), array_agg("name"), array_agg("category_id"), array_agg("status"), array_agg(name_key)
from (
  select *
  from (
    select "pets"."id", "pets"."name", "pets"."category_id", "pets"."status", (lower(left("pets"."name", 500) collate "pet_names") collate "C") as name_key
    from "pets"
    where (("pets"."category_id") >= ($1::bigint)
      and ("pets"."category_id") <= ($2::bigint))
    order by "pets"."category_id" asc, (lower(left("pets"."name", 500) collate "pet_names") collate "C") asc, "pets"."id" asc
    limit 101) as range
  limit $3::int) as page

-- listPets, prepared: ASC, from the start, a category, before
-- $1 = 7, $2 = 7, $3 = rez, $4 = 99, $5 = 21
select sum(octet_length("name")), array_agg("id"), array_agg("name"), array_agg("category_id"), array_agg("status"), array_agg(name_key)
from (
  select *
  from (
    select "pets"."id", "pets"."name", "pets"."category_id", "pets"."status", (lower(left("pets"."name", 500) collate "pet_names") collate "C") as name_key
    from "pets"
    where (("pets"."category_id") >= ($1::bigint)
      and ("pets"."category_id", (lower(left("pets"."name", 500) collate "pet_names") collate "C"), "pets"."id") < ($2::bigint, $3::text, $4::bigint))
    order by "pets"."category_id" asc, (lower(left("pets"."name", 500) collate "pet_names") collate "C") asc, "pets"."id" asc
    limit 101) as range
  limit $5::int) as page

-- listPets, prepared: ASC, from the start, a category, after
-- $1 = 7, $2 = rea, $3 = 11, $4 = 7, $5 = 21
select sum(octet_length("name")), array_agg("id"), array_agg("name"), array_agg("category_id"), array_agg("status"), array_agg(name_key)
from (
  select *
  from (
    select "pets"."id", "pets"."name", "pets"."category_id", "pets"."status", (lower(left("pets"."name", 500) collate "pet_names") collate "C") as name_key
    from "pets"
    where (("pets"."category_id", (lower(left("pets"."name", 500) collate "pet_names") collate "C"), "pets"."id") > ($1::bigint, $2::text, $3::bigint)
      and ("pets"."category_id") <= ($4::bigint))
    order by "pets"."category_id" asc, (lower(left("pets"."name", 500) collate "pet_names") collate "C") asc, "pets"."id" asc
    limit 101) as range
  limit $5::int) as page

-- listPets, prepared: ASC, from the start, a category, after, before
-- $1 = 7, $2 = rea, $3 = 11, $4 = 7, $5 = rez, $6 = 99, $7 = 21
select sum(octet_length("name")), array_agg("id"), array_agg("name"), array_agg("category_id"), array_agg("status"), array_agg(name_key)
from (
  select *
  from (
    select "pets"."id", "pets"."name", "pets"."category_id", "pets"."status", (lower(left("pets"."name", 500) collate "pet_names") collate "C") as name_key
    from "pets"
    where (("pets"."category_id", (lower(left("pets"."name", 500) collate "pet_names") collate "C"), "pets"."id") > ($1::bigint, $2::text, $3::bigint)
      and ("pets"."category_id", (lower(left("pets"."name", 500) collate "pet_names") collate "C"), "pets"."id") < ($4::bigint, $5::text, $6::bigint))
    order by "pets"."category_id" asc, (lower(left("pets"."name", 500) collate "pet_names") collate "C") asc, "pets"."id" asc
    limit 101) as range
  limit $7::int) as page

-- listPets, prepared: ASC, from the start, a category, a prefix
-- $1 = 7, $2 = re, $3 = 7, $4 = rf, $5 = 21
select sum(octet_length("name")), array_agg("id"), array_agg("name"), array_agg("category_id"), array_agg("status"), array_agg(name_key)
from (
  select *
  from (
    select "pets"."id", "pets"."name", "pets"."category_id", "pets"."status", (lower(left("pets"."name", 500) collate "pet_names") collate "C") as name_key
    from "pets"
    where (("pets"."category_id", (lower(left("pets"."name", 500) collate "pet_names") collate "C")) >= ($1::bigint, $2::text)
      and ("pets"."category_id", (lower(left("pets"."name", 500) collate "pet_names") collate "C")) < ($3::bigint, $4::text))
    order by "pets"."category_id" asc, (lower(left("pets"."name", 500) collate "pet_names") collate "C") asc, "pets"."id" asc
    limit 101) as range
  limit $5::int) as page

-- listPets, prepared: ASC, from the start, a category, a prefix, before
-- $1 = 7, $2 = re, $3 = 7, $4 = rez, $5 = 99, $6 = 21
select sum(octet_length("name")), array_agg("id"), array_agg("name"), array_agg("category_id"), array_agg("status"), array_agg(name_key)
from (
  select *
  from (
    select "pets"."id", "pets"."name", "pets"."category_id", "pets"."status", (lower(left("pets"."name", 500) collate "pet_names") collate "C") as name_key
    from "pets"
    where (("pets"."category_id", (lower(left("pets"."name", 500) collate "pet_names") collate "C")) >= ($1::bigint, $2::text)
      and ("pets"."category_id", (lower(left("pets"."name", 500) collate "pet_names") collate "C"), "pets"."id") < ($3::bigint, $4::text, $5::bigint))
    order by "pets"."category_id" asc, (lower(left("pets"."name", 500) collate "pet_names") collate "C") asc, "pets"."id" asc
    limit 101) as range
  limit $6::int) as page

-- listPets, prepared: ASC, from the start, a category, a prefix, after
-- $1 = 7, $2 = rea, $3 = 11, $4 = 7, $5 = rf, $6 = 21
select sum(octet_length("name")), array_agg("id"), array_agg("name"), array_agg("category_id"), array_agg("status"), array_agg(name_key)
from (
  select *
  from (
    select "pets"."id", "pets"."name", "pets"."category_id", "pets"."status", (lower(left("pets"."name", 500) collate "pet_names") collate "C") as name_key
    from "pets"
    where (("pets"."category_id", (lower(left("pets"."name", 500) collate "pet_names") collate "C"), "pets"."id") > ($1::bigint, $2::text, $3::bigint)
      and ("pets"."category_id", (lower(left("pets"."name", 500) collate "pet_names") collate "C")) < ($4::bigint, $5::text))
    order by "pets"."category_id" asc, (lower(left("pets"."name", 500) collate "pet_names") collate "C") asc, "pets"."id" asc
    limit 101) as range
  limit $6::int) as page

-- listPets, prepared: ASC, from the start, a category, a prefix without an upper end
-- $1 = 7, $2 = \u{10ffff}, $3 = 7, $4 = 21
select sum(octet_length("name")), array_agg("id"), array_agg("name"), array_agg("category_id"), array_agg("status"), array_agg(name_key)
from (
  select *
  from (
    select "pets"."id", "pets"."name", "pets"."category_id", "pets"."status", (lower(left("pets"."name", 500) collate "pet_names") collate "C") as name_key
    from "pets"
    where (("pets"."category_id", (lower(left("pets"."name", 500) collate "pet_names") collate "C")) >= ($1::bigint, $2::text)
      and ("pets"."category_id") <= ($3::bigint))
    order by "pets"."category_id" asc, (lower(left("pets"."name", 500) collate "pet_names") collate "C") asc, "pets"."id" asc
    limit 101) as range
  limit $4::int) as page

-- listPets, prepared: ASC, from the start, a status
-- $1 = sold, $2 = sold, $3 = 21
select sum(octet_length("name")), array_agg("id"), array_agg("name"), array_agg("category_id"), array_agg("status"), array_agg(name_key)
from (
  select *
  from (
    select "pets"."id", "pets"."name", "pets"."category_id", "pets"."status", (lower(left("pets"."name", 500) collate "pet_names") collate "C") as name_key
    from "pets"
    where (("pets"."status") >= ($1::pet_status)
      and ("pets"."status") <= ($2::pet_status))
    order by "pets"."status" asc, (lower(left("pets"."name", 500) collate "pet_names") collate "C") asc, "pets"."id" asc
    limit 101) as range
  limit $3::int) as page

-- listPets, prepared: ASC, from the start, a status, before
-- $1 = sold, $2 = sold, $3 = rez, $4 = 99, $5 = 21
select sum(octet_length("name")), array_agg("id"), array_agg("name"), array_agg("category_id"), array_agg("status"), array_agg(name_key)
from (
  select *
  from (
    select "pets"."id", "pets"."name", "pets"."category_id", "pets"."status", (lower(left("pets"."name", 500) collate "pet_names") collate "C") as name_key
    from "pets"
    where (("pets"."status") >= ($1::pet_status)
      and ("pets"."status", (lower(left("pets"."name", 500) collate "pet_names") collate "C"), "pets"."id") < ($2::pet_status, $3::text, $4::bigint))
    order by "pets"."status" asc, (lower(left("pets"."name", 500) collate "pet_names") collate "C") asc, "pets"."id" asc
    limit 101) as range
  limit $5::int) as page

-- listPets, prepared: ASC, from the start, a status, after
-- $1 = sold, $2 = rea, $3 = 11, $4 = sold, $5 = 21
select sum(octet_length("name")), array_agg("id"), array_agg("name"), array_agg("category_id"), array_agg("status"), array_agg(name_key)
from (
  select *
  from (
    select "pets"."id", "pets"."name", "pets"."category_id", "pets"."status", (lower(left("pets"."name", 500) collate "pet_names") collate "C") as name_key
    from "pets"
    where (("pets"."status", (lower(left("pets"."name", 500) collate "pet_names") collate "C"), "pets"."id") > ($1::pet_status, $2::text, $3::bigint)
      and ("pets"."status") <= ($4::pet_status))
    order by "pets"."status" asc, (lower(left("pets"."name", 500) collate "pet_names") collate "C") asc, "pets"."id" asc
    limit 101) as range
  limit $5::int) as page

-- listPets, prepared: ASC, from the start, a status, after, before
-- $1 = sold, $2 = rea, $3 = 11, $4 = sold, $5 = rez, $6 = 99, $7 = 21
select sum(octet_length("name")), array_agg("id"), array_agg("name"), array_agg("category_id"), array_agg("status"), array_agg(name_key)
from (
  select *
  from (
    select "pets"."id", "pets"."name", "pets"."category_id", "pets"."status", (lower(left("pets"."name", 500) collate "pet_names") collate "C") as name_key
    from "pets"
    where (("pets"."status", (lower(left("pets"."name", 500) collate "pet_names") collate "C"), "pets"."id") > ($1::pet_status, $2::text, $3::bigint)
      and ("pets"."status", (lower(left("pets"."name", 500) collate "pet_names") collate "C"), "pets"."id") < ($4::pet_status, $5::text, $6::bigint))
    order by "pets"."status" asc, (lower(left("pets"."name", 500) collate "pet_names") collate "C") asc, "pets"."id" asc
    limit 101) as range
  limit $7::int) as page

-- listPets, prepared: ASC, from the start, a status, a prefix
-- $1 = sold, $2 = re, $3 = sold, $4 = rf, $5 = 21
select sum(octet_length("name")), array_agg("id"), array_agg("name"), array_agg("category_id"), array_agg("status"), array_agg(name_key)
from (
  select *
  from (
    select "pets"."id", "pets"."name", "pets"."category_id", "pets"."status", (lower(left("pets"."name", 500) collate "pet_names") collate "C") as name_key
    from "pets"
    where (("pets"."status", (lower(left("pets"."name", 500) collate "pet_names") collate "C")) >= ($1::pet_status, $2::text)
      and ("pets"."status", (lower(left("pets"."name", 500) collate "pet_names") collate "C")) < ($3::pet_status, $4::text))
    order by "pets"."status" asc, (lower(left("pets"."name", 500) collate "pet_names") collate "C") asc, "pets"."id" asc
    limit 101) as range
  limit $5::int) as page

-- listPets, prepared: ASC, from the start, a status, a prefix, before
-- $1 = sold, $2 = re, $3 = sold, $4 = rez, $5 = 99, $6 = 21
select sum(octet_length("name")), array_agg("id"), array_agg("name"), array_agg("category_id"), array_agg("status"), array_agg(name_key)
from (
  select *
  from (
    select "pets"."id", "pets"."name", "pets"."category_id", "pets"."status", (lower(left("pets"."name", 500) collate "pet_names") collate "C") as name_key
    from "pets"
    where (("pets"."status", (lower(left("pets"."name", 500) collate "pet_names") collate "C")) >= ($1::pet_status, $2::text)
      and ("pets"."status", (lower(left("pets"."name", 500) collate "pet_names") collate "C"), "pets"."id") < ($3::pet_status, $4::text, $5::bigint))
    order by "pets"."status" asc, (lower(left("pets"."name", 500) collate "pet_names") collate "C") asc, "pets"."id" asc
    limit 101) as range
  limit $6::int) as page

-- listPets, prepared: ASC, from the start, a status, a prefix, after
-- $1 = sold, $2 = rea, $3 = 11, $4 = sold, $5 = rf, $6 = 21
select sum(octet_length("name")), array_agg("id"), array_agg("name"), array_agg("category_id"), array_agg("status"), array_agg(name_key)
from (
  select *
  from (
    select "pets"."id", "pets"."name", "pets"."category_id", "pets"."status", (lower(left("pets"."name", 500) collate "pet_names") collate "C") as name_key
    from "pets"
    where (("pets"."status", (lower(left("pets"."name", 500) collate "pet_names") collate "C"), "pets"."id") > ($1::pet_status, $2::text, $3::bigint)
      and ("pets"."status", (lower(left("pets"."name", 500) collate "pet_names") collate "C")) < ($4::pet_status, $5::text))
    order by "pets"."status" asc, (lower(left("pets"."name", 500) collate "pet_names") collate "C") asc, "pets"."id" asc
    limit 101) as range
  limit $6::int) as page

-- listPets, prepared: ASC, from the start, a status, a prefix without an upper end
-- $1 = sold, $2 = \u{10ffff}, $3 = sold, $4 = 21
select sum(octet_length("name")), array_agg("id"), array_agg("name"), array_agg("category_id"), array_agg("status"), array_agg(name_key)
from (
  select *
  from (
    select "pets"."id", "pets"."name", "pets"."category_id", "pets"."status", (lower(left("pets"."name", 500) collate "pet_names") collate "C") as name_key
    from "pets"
    where (("pets"."status", (lower(left("pets"."name", 500) collate "pet_names") collate "C")) >= ($1::pet_status, $2::text)
      and ("pets"."status") <= ($3::pet_status))
    order by "pets"."status" asc, (lower(left("pets"."name", 500) collate "pet_names") collate "C") asc, "pets"."id" asc
    limit 101) as range
  limit $4::int) as page

-- listPets, prepared: ASC, from the start, a status, a category
-- $1 = sold, $2 = 7, $3 = sold, $4 = 7, $5 = 21
select sum(octet_length("name")), array_agg("id"), array_agg("name"), array_agg("category_id"), array_agg("status"), array_agg(name_key)
from (
  select *
  from (
    select "pets"."id", "pets"."name", "pets"."category_id", "pets"."status", (lower(left("pets"."name", 500) collate "pet_names") collate "C") as name_key
    from "pets"
    where (("pets"."status", "pets"."category_id") >= ($1::pet_status, $2::bigint)
      and ("pets"."status", "pets"."category_id") <= ($3::pet_status, $4::bigint))
    order by "pets"."status" asc, "pets"."category_id" asc, (lower(left("pets"."name", 500) collate "pet_names") collate "C") asc, "pets"."id" asc
    limit 101) as range
  limit $5::int) as page

-- listPets, prepared: ASC, from the start, a status, a category, before
-- $1 = sold, $2 = 7, $3 = sold, $4 = 7, $5 = rez, $6 = 99, $7 = 21
select sum(octet_length("name")), array_agg("id"), array_agg("name"), array_agg("category_id"), array_agg("status"), array_agg(name_key)
from (
  select *
  from (
    select "pets"."id", "pets"."name", "pets"."category_id", "pets"."status", (lower(left("pets"."name", 500) collate "pet_names") collate "C") as name_key
    from "pets"
    where (("pets"."status", "pets"."category_id") >= ($1::pet_status, $2::bigint)
      and ("pets"."status", "pets"."category_id", (lower(left("pets"."name", 500) collate "pet_names") collate "C"), "pets"."id") < ($3::pet_status, $4::bigint, $5::text, $6::bigint))
    order by "pets"."status" asc, "pets"."category_id" asc, (lower(left("pets"."name", 500) collate "pet_names") collate "C") asc, "pets"."id" asc
    limit 101) as range
  limit $7::int) as page

-- listPets, prepared: ASC, from the start, a status, a category, after
-- $1 = sold, $2 = 7, $3 = rea, $4 = 11, $5 = sold, $6 = 7, $7 = 21
select sum(octet_length("name")), array_agg("id"), array_agg("name"), array_agg("category_id"), array_agg("status"), array_agg(name_key)
from (
  select *
  from (
    select "pets"."id", "pets"."name", "pets"."category_id", "pets"."status", (lower(left("pets"."name", 500) collate "pet_names") collate "C") as name_key
    from "pets"
    where (("pets"."status", "pets"."category_id", (lower(left("pets"."name", 500) collate "pet_names") collate "C"), "pets"."id") > ($1::pet_status, $2::bigint, $3::text, $4::bigint)
      and ("pets"."status", "pets"."category_id") <= ($5::pet_status, $6::bigint))
    order by "pets"."status" asc, "pets"."category_id" asc, (lower(left("pets"."name", 500) collate "pet_names") collate "C") asc, "pets"."id" asc
    limit 101) as range
  limit $7::int) as page

-- listPets, prepared: ASC, from the start, a status, a category, after, before
-- $1 = sold, $2 = 7, $3 = rea, $4 = 11, $5 = sold, $6 = 7, $7 = rez, $8 = 99, $9 = 21
select sum(octet_length("name")), array_agg("id"), array_agg("name"), array_agg("category_id"), array_agg("status"), array_agg(name_key)
from (
  select *
  from (
    select "pets"."id", "pets"."name", "pets"."category_id", "pets"."status", (lower(left("pets"."name", 500) collate "pet_names") collate "C") as name_key
    from "pets"
    where (("pets"."status", "pets"."category_id", (lower(left("pets"."name", 500) collate "pet_names") collate "C"), "pets"."id") > ($1::pet_status, $2::bigint, $3::text, $4::bigint)
      and ("pets"."status", "pets"."category_id", (lower(left("pets"."name", 500) collate "pet_names") collate "C"), "pets"."id") < ($5::pet_status, $6::bigint, $7::text, $8::bigint))
    order by "pets"."status" asc, "pets"."category_id" asc, (lower(left("pets"."name", 500) collate "pet_names") collate "C") asc, "pets"."id" asc
    limit 101) as range
  limit $9::int) as page

-- listPets, prepared: ASC, from the start, a status, a category, a prefix
-- $1 = sold, $2 = 7, $3 = re, $4 = sold, $5 = 7, $6 = rf, $7 = 21
select sum(octet_length("name")), array_agg("id"), array_agg("name"), array_agg("category_id"), array_agg("status"), array_agg(name_key)
from (
  select *
  from (
    select "pets"."id", "pets"."name", "pets"."category_id", "pets"."status", (lower(left("pets"."name", 500) collate "pet_names") collate "C") as name_key
    from "pets"
    where (("pets"."status", "pets"."category_id", (lower(left("pets"."name", 500) collate "pet_names") collate "C")) >= ($1::pet_status, $2::bigint, $3::text)
      and ("pets"."status", "pets"."category_id", (lower(left("pets"."name", 500) collate "pet_names") collate "C")) < ($4::pet_status, $5::bigint, $6::text))
    order by "pets"."status" asc, "pets"."category_id" asc, (lower(left("pets"."name", 500) collate "pet_names") collate "C") asc, "pets"."id" asc
    limit 101) as range
  limit $7::int) as page

-- listPets, prepared: ASC, from the start, a status, a category, a prefix, before
-- $1 = sold, $2 = 7, $3 = re, $4 = sold, $5 = 7, $6 = rez, $7 = 99, $8 = 21
select sum(octet_length("name")), array_agg("id"), array_agg("name"), array_agg("category_id"), array_agg("status"), array_agg(name_key)
from (
  select *
  from (
    select "pets"."id", "pets"."name", "pets"."category_id", "pets"."status", (lower(left("pets"."name", 500) collate "pet_names") collate "C") as name_key
    from "pets"
    where (("pets"."status", "pets"."category_id", (lower(left("pets"."name", 500) collate "pet_names") collate "C")) >= ($1::pet_status, $2::bigint, $3::text)
      and ("pets"."status", "pets"."category_id", (lower(left("pets"."name", 500) collate "pet_names") collate "C"), "pets"."id") < ($4::pet_status, $5::bigint, $6::text, $7::bigint))
    order by "pets"."status" asc, "pets"."category_id" asc, (lower(left("pets"."name", 500) collate "pet_names") collate "C") asc, "pets"."id" asc
    limit 101) as range
  limit $8::int) as page

-- listPets, prepared: ASC, from the start, a status, a category, a prefix, after
-- $1 = sold, $2 = 7, $3 = rea, $4 = 11, $5 = sold, $6 = 7, $7 = rf, $8 = 21
select sum(octet_length("name")), array_agg("id"), array_agg("name"), array_agg("category_id"), array_agg("status"), array_agg(name_key)
from (
  select *
  from (
    select "pets"."id", "pets"."name", "pets"."category_id", "pets"."status", (lower(left("pets"."name", 500) collate "pet_names") collate "C") as name_key
    from "pets"
    where (("pets"."status", "pets"."category_id", (lower(left("pets"."name", 500) collate "pet_names") collate "C"), "pets"."id") > ($1::pet_status, $2::bigint, $3::text, $4::bigint)
      and ("pets"."status", "pets"."category_id", (lower(left("pets"."name", 500) collate "pet_names") collate "C")) < ($5::pet_status, $6::bigint, $7::text))
    order by "pets"."status" asc, "pets"."category_id" asc, (lower(left("pets"."name", 500) collate "pet_names") collate "C") asc, "pets"."id" asc
    limit 101) as range
  limit $8::int) as page

-- listPets, prepared: ASC, from the start, a status, a category, a prefix without an upper end
-- $1 = sold, $2 = 7, $3 = \u{10ffff}, $4 = sold, $5 = 7, $6 = 21
select sum(octet_length("name")), array_agg("id"), array_agg("name"), array_agg("category_id"), array_agg("status"), array_agg(name_key)
from (
  select *
  from (
    select "pets"."id", "pets"."name", "pets"."category_id", "pets"."status", (lower(left("pets"."name", 500) collate "pet_names") collate "C") as name_key
    from "pets"
    where (("pets"."status", "pets"."category_id", (lower(left("pets"."name", 500) collate "pet_names") collate "C")) >= ($1::pet_status, $2::bigint, $3::text)
      and ("pets"."status", "pets"."category_id") <= ($4::pet_status, $5::bigint))
    order by "pets"."status" asc, "pets"."category_id" asc, (lower(left("pets"."name", 500) collate "pet_names") collate "C") asc, "pets"."id" asc
    limit 101) as range
  limit $6::int) as page

-- listPets, prepared: ASC, from the end
-- $1 = 21
select sum(octet_length("name")), array_agg("id"), array_agg("name"), array_agg("category_id"), array_agg("status"), array_agg(name_key)
from (
  select *
  from (
    select "pets"."id", "pets"."name", "pets"."category_id", "pets"."status", (lower(left("pets"."name", 500) collate "pet_names") collate "C") as name_key
    from "pets"
    order by (lower(left("pets"."name", 500) collate "pet_names") collate "C") desc, "pets"."id" desc
    limit 101) as range
  limit $1::int) as page

-- listPets, prepared: ASC, from the end, before
-- $1 = rez, $2 = 99, $3 = 21
select sum(octet_length("name")), array_agg("id"), array_agg("name"), array_agg("category_id"), array_agg("status"), array_agg(name_key)
from (
  select *
  from (
    select "pets"."id", "pets"."name", "pets"."category_id", "pets"."status", (lower(left("pets"."name", 500) collate "pet_names") collate "C") as name_key
    from "pets"
    where ((lower(left("pets"."name", 500) collate "pet_names") collate "C"), "pets"."id") < ($1::text, $2::bigint)
    order by (lower(left("pets"."name", 500) collate "pet_names") collate "C") desc, "pets"."id" desc
    limit 101) as range
  limit $3::int) as page

-- listPets, prepared: ASC, from the end, after
-- $1 = rea, $2 = 11, $3 = 21
select sum(octet_length("name")), array_agg("id"), array_agg("name"), array_agg("category_id"), array_agg("status"), array_agg(name_key)
from (
  select *
  from (
    select "pets"."id", "pets"."name", "pets"."category_id", "pets"."status", (lower(left("pets"."name", 500) collate "pet_names") collate "C") as name_key
    from "pets"
    where ((lower(left("pets"."name", 500) collate "pet_names") collate "C"), "pets"."id") > ($1::text, $2::bigint)
    order by (lower(left("pets"."name", 500) collate "pet_names") collate "C") desc, "pets"."id" desc
    limit 101) as range
  limit $3::int) as page

-- listPets, prepared: ASC, from the end, after, before
-- $1 = rea, $2 = 11, $3 = rez, $4 = 99, $5 = 21
select sum(octet_length("name")), array_agg("id"), array_agg("name"), array_agg("category_id"), array_agg("status"), array_agg(name_key)
from (
  select *
  from (
    select "pets"."id", "pets"."name", "pets"."category_id", "pets"."status", (lower(left("pets"."name", 500) collate "pet_names") collate "C") as name_key
    from "pets"
    where (((lower(left("pets"."name", 500) collate "pet_names") collate "C"), "pets"."id") > ($1::text, $2::bigint)
      and ((lower(left("pets"."name", 500) collate "pet_names") collate "C"), "pets"."id") < ($3::text, $4::bigint))
    order by (lower(left("pets"."name", 500) collate "pet_names") collate "C") desc, "pets"."id" desc
    limit 101) as range
  limit $5::int) as page

-- listPets, prepared: ASC, from the end, a prefix
-- $1 = re, $2 = rf, $3 = 21
select sum(octet_length("name")), array_agg("id"), array_agg("name"), array_agg("category_id"), array_agg("status"), array_agg(name_key)
from (
  select *
  from (
    select "pets"."id", "pets"."name", "pets"."category_id", "pets"."status", (lower(left("pets"."name", 500) collate "pet_names") collate "C") as name_key
    from "pets"
    where (((lower(left("pets"."name", 500) collate "pet_names") collate "C")) >= ($1::text)
      and ((lower(left("pets"."name", 500) collate "pet_names") collate "C")) < ($2::text))
    order by (lower(left("pets"."name", 500) collate "pet_names") collate "C") desc, "pets"."id" desc
    limit 101) as range
  limit $3::int) as page

-- listPets, prepared: ASC, from the end, a prefix, before
-- $1 = re, $2 = rez, $3 = 99, $4 = 21
select sum(octet_length("name")), array_agg("id"), array_agg("name"), array_agg("category_id"), array_agg("status"), array_agg(name_key)
from (
  select *
  from (
    select "pets"."id", "pets"."name", "pets"."category_id", "pets"."status", (lower(left("pets"."name", 500) collate "pet_names") collate "C") as name_key
    from "pets"
    where (((lower(left("pets"."name", 500) collate "pet_names") collate "C")) >= ($1::text)
      and ((lower(left("pets"."name", 500) collate "pet_names") collate "C"), "pets"."id") < ($2::text, $3::bigint))
    order by (lower(left("pets"."name", 500) collate "pet_names") collate "C") desc, "pets"."id" desc
    limit 101) as range
  limit $4::int) as page

-- listPets, prepared: ASC, from the end, a prefix, after
-- $1 = rea, $2 = 11, $3 = rf, $4 = 21
select sum(octet_length("name")), array_agg("id"), array_agg("name"), array_agg("category_id"), array_agg("status"), array_agg(name_key)
from (
  select *
  from (
    select "pets"."id", "pets"."name", "pets"."category_id", "pets"."status", (lower(left("pets"."name", 500) collate "pet_names") collate "C") as name_key
    from "pets"
    where (((lower(left("pets"."name", 500) collate "pet_names") collate "C"), "pets"."id") > ($1::text, $2::bigint)
      and ((lower(left("pets"."name", 500) collate "pet_names") collate "C")) < ($3::text))
    order by (lower(left("pets"."name", 500) collate "pet_names") collate "C") desc, "pets"."id" desc
    limit 101) as range
  limit $4::int) as page

-- listPets, prepared: ASC, from the end, a prefix without an upper end
-- $1 = \u{10ffff}, $2 = 21
select sum(octet_length("name")), array_agg("id"), array_agg("name"), array_agg("category_id"), array_agg("status"), array_agg(name_key)
from (
  select *
  from (
    select "pets"."id", "pets"."name", "pets"."category_id", "pets"."status", (lower(left("pets"."name", 500) collate "pet_names") collate "C") as name_key
    from "pets"
    where ((lower(left("pets"."name", 500) collate "pet_names") collate "C")) >= ($1::text)
    order by (lower(left("pets"."name", 500) collate "pet_names") collate "C") desc, "pets"."id" desc
    limit 101) as range
  limit $2::int) as page

-- listPets, prepared: ASC, from the end, a category
-- $1 = 7, $2 = 7, $3 = 21
select sum(octet_length("name")), array_agg("id"), array_agg("name"), array_agg("category_id"), array_agg("status"), array_agg(name_key)
from (
  select *
  from (
    select "pets"."id", "pets"."name", "pets"."category_id", "pets"."status", (lower(left("pets"."name", 500) collate "pet_names") collate "C") as name_key
    from "pets"
    where (("pets"."category_id") >= ($1::bigint)
      and ("pets"."category_id") <= ($2::bigint))
    order by "pets"."category_id" desc, (lower(left("pets"."name", 500) collate "pet_names") collate "C") desc, "pets"."id" desc
    limit 101) as range
  limit $3::int) as page

-- listPets, prepared: ASC, from the end, a category, before
-- $1 = 7, $2 = 7, $3 = rez, $4 = 99, $5 = 21
select sum(octet_length("name")), array_agg("id"), array_agg("name"), array_agg("category_id"), array_agg("status"), array_agg(name_key)
from (
  select *
  from (
    select "pets"."id", "pets"."name", "pets"."category_id", "pets"."status", (lower(left("pets"."name", 500) collate "pet_names") collate "C") as name_key
    from "pets"
    where (("pets"."category_id") >= ($1::bigint)
      and ("pets"."category_id", (lower(left("pets"."name", 500) collate "pet_names") collate "C"), "pets"."id") < ($2::bigint, $3::text, $4::bigint))
    order by "pets"."category_id" desc, (lower(left("pets"."name", 500) collate "pet_names") collate "C") desc, "pets"."id" desc
    limit 101) as range
  limit $5::int) as page

-- listPets, prepared: ASC, from the end, a category, after
-- $1 = 7, $2 = rea, $3 = 11, $4 = 7, $5 = 21
select sum(octet_length("name")), array_agg("id"), array_agg("name"), array_agg("category_id"), array_agg("status"), array_agg(name_key)
from (
  select *
  from (
    select "pets"."id", "pets"."name", "pets"."category_id", "pets"."status", (lower(left("pets"."name", 500) collate "pet_names") collate "C") as name_key
    from "pets"
    where (("pets"."category_id", (lower(left("pets"."name", 500) collate "pet_names") collate "C"), "pets"."id") > ($1::bigint, $2::text, $3::bigint)
      and ("pets"."category_id") <= ($4::bigint))
    order by "pets"."category_id" desc, (lower(left("pets"."name", 500) collate "pet_names") collate "C") desc, "pets"."id" desc
    limit 101) as range
  limit $5::int) as page

-- listPets, prepared: ASC, from the end, a category, after, before
-- $1 = 7, $2 = rea, $3 = 11, $4 = 7, $5 = rez, $6 = 99, $7 = 21
select sum(octet_length("name")), array_agg("id"), array_agg("name"), array_agg("category_id"), array_agg("status"), array_agg(name_key)
from (
  select *
  from (
    select "pets"."id", "pets"."name", "pets"."category_id", "pets"."status", (lower(left("pets"."name", 500) collate "pet_names") collate "C") as name_key
    from "pets"
    where (("pets"."category_id", (lower(left("pets"."name", 500) collate "pet_names") collate "C"), "pets"."id") > ($1::bigint, $2::text, $3::bigint)
      and ("pets"."category_id", (lower(left("pets"."name", 500) collate "pet_names") collate "C"), "pets"."id") < ($4::bigint, $5::text, $6::bigint))
    order by "pets"."category_id" desc, (lower(left("pets"."name", 500) collate "pet_names") collate "C") desc, "pets"."id" desc
    limit 101) as range
  limit $7::int) as page

-- listPets, prepared: ASC, from the end, a category, a prefix
-- $1 = 7, $2 = re, $3 = 7, $4 = rf, $5 = 21
select sum(octet_length("name")), array_agg("id"), array_agg("name"), array_agg("category_id"), array_agg("status"), array_agg(name_key)
from (
  select *
  from (
    select "pets"."id", "pets"."name", "pets"."category_id", "pets"."status", (lower(left("pets"."name", 500) collate "pet_names") collate "C") as name_key
    from "pets"
    where (("pets"."category_id", (lower(left("pets"."name", 500) collate "pet_names") collate "C")) >= ($1::bigint, $2::text)
      and ("pets"."category_id", (lower(left("pets"."name", 500) collate "pet_names") collate "C")) < ($3::bigint, $4::text))
    order by "pets"."category_id" desc, (lower(left("pets"."name", 500) collate "pet_names") collate "C") desc, "pets"."id" desc
    limit 101) as range
  limit $5::int) as page

-- listPets, prepared: ASC, from the end, a category, a prefix, before
-- $1 = 7, $2 = re, $3 = 7, $4 = rez, $5 = 99, $6 = 21
select sum(octet_length("name")), array_agg("id"), array_agg("name"), array_agg("category_id"), array_agg("status"), array_agg(name_key)
from (
  select *
  from (
    select "pets"."id", "pets"."name", "pets"."category_id", "pets"."status", (lower(left("pets"."name", 500) collate "pet_names") collate "C") as name_key
    from "pets"
    where (("pets"."category_id", (lower(left("pets"."name", 500) collate "pet_names") collate "C")) >= ($1::bigint, $2::text)
      and ("pets"."category_id", (lower(left("pets"."name", 500) collate "pet_names") collate "C"), "pets"."id") < ($3::bigint, $4::text, $5::bigint))
    order by "pets"."category_id" desc, (lower(left("pets"."name", 500) collate "pet_names") collate "C") desc, "pets"."id" desc
    limit 101) as range
  limit $6::int) as page

-- listPets, prepared: ASC, from the end, a category, a prefix, after
-- $1 = 7, $2 = rea, $3 = 11, $4 = 7, $5 = rf, $6 = 21
select sum(octet_length("name")), array_agg("id"), array_agg("name"), array_agg("category_id"), array_agg("status"), array_agg(name_key)
from (
  select *
  from (
    select "pets"."id", "pets"."name", "pets"."category_id", "pets"."status", (lower(left("pets"."name", 500) collate "pet_names") collate "C") as name_key
    from "pets"
    where (("pets"."category_id", (lower(left("pets"."name", 500) collate "pet_names") collate "C"), "pets"."id") > ($1::bigint, $2::text, $3::bigint)
      and ("pets"."category_id", (lower(left("pets"."name", 500) collate "pet_names") collate "C")) < ($4::bigint, $5::text))
    order by "pets"."category_id" desc, (lower(left("pets"."name", 500) collate "pet_names") collate "C") desc, "pets"."id" desc
    limit 101) as range
  limit $6::int) as page

-- listPets, prepared: ASC, from the end, a category, a prefix without an upper end
-- $1 = 7, $2 = \u{10ffff}, $3 = 7, $4 = 21
select sum(octet_length("name")), array_agg("id"), array_agg("name"), array_agg("category_id"), array_agg("status"), array_agg(name_key)
from (
  select *
  from (
    select "pets"."id", "pets"."name", "pets"."category_id", "pets"."status", (lower(left("pets"."name", 500) collate "pet_names") collate "C") as name_key
    from "pets"
    where (("pets"."category_id", (lower(left("pets"."name", 500) collate "pet_names") collate "C")) >= ($1::bigint, $2::text)
      and ("pets"."category_id") <= ($3::bigint))
    order by "pets"."category_id" desc, (lower(left("pets"."name", 500) collate "pet_names") collate "C") desc, "pets"."id" desc
    limit 101) as range
  limit $4::int) as page

-- listPets, prepared: ASC, from the end, a status
-- $1 = sold, $2 = sold, $3 = 21
select sum(octet_length("name")), array_agg("id"), array_agg("name"), array_agg("category_id"), array_agg("status"), array_agg(name_key)
from (
  select *
  from (
    select "pets"."id", "pets"."name", "pets"."category_id", "pets"."status", (lower(left("pets"."name", 500) collate "pet_names") collate "C") as name_key
    from "pets"
    where (("pets"."status") >= ($1::pet_status)
      and ("pets"."status") <= ($2::pet_status))
    order by "pets"."status" desc, (lower(left("pets"."name", 500) collate "pet_names") collate "C") desc, "pets"."id" desc
    limit 101) as range
  limit $3::int) as page

-- listPets, prepared: ASC, from the end, a status, before
-- $1 = sold, $2 = sold, $3 = rez, $4 = 99, $5 = 21
select sum(octet_length("name")), array_agg("id"), array_agg("name"), array_agg("category_id"), array_agg("status"), array_agg(name_key)
from (
  select *
  from (
    select "pets"."id", "pets"."name", "pets"."category_id", "pets"."status", (lower(left("pets"."name", 500) collate "pet_names") collate "C") as name_key
    from "pets"
    where (("pets"."status") >= ($1::pet_status)
      and ("pets"."status", (lower(left("pets"."name", 500) collate "pet_names") collate "C"), "pets"."id") < ($2::pet_status, $3::text, $4::bigint))
    order by "pets"."status" desc, (lower(left("pets"."name", 500) collate "pet_names") collate "C") desc, "pets"."id" desc
    limit 101) as range
  limit $5::int) as page

-- listPets, prepared: ASC, from the end, a status, after
-- $1 = sold, $2 = rea, $3 = 11, $4 = sold, $5 = 21
select sum(octet_length("name")), array_agg("id"), array_agg("name"), array_agg("category_id"), array_agg("status"), array_agg(name_key)
from (
  select *
  from (
    select "pets"."id", "pets"."name", "pets"."category_id", "pets"."status", (lower(left("pets"."name", 500) collate "pet_names") collate "C") as name_key
    from "pets"
    where (("pets"."status", (lower(left("pets"."name", 500) collate "pet_names") collate "C"), "pets"."id") > ($1::pet_status, $2::text, $3::bigint)
      and ("pets"."status") <= ($4::pet_status))
    order by "pets"."status" desc, (lower(left("pets"."name", 500) collate "pet_names") collate "C") desc, "pets"."id" desc
    limit 101) as range
  limit $5::int) as page

-- listPets, prepared: ASC, from the end, a status, after, before
-- $1 = sold, $2 = rea, $3 = 11, $4 = sold, $5 = rez, $6 = 99, $7 = 21
select sum(octet_length("name")), array_agg("id"), array_agg("name"), array_agg("category_id"), array_agg("status"), array_agg(name_key)
from (
  select *
  from (
    select "pets"."id", "pets"."name", "pets"."category_id", "pets"."status", (lower(left("pets"."name", 500) collate "pet_names") collate "C") as name_key
    from "pets"
    where (("pets"."status", (lower(left("pets"."name", 500) collate "pet_names") collate "C"), "pets"."id") > ($1::pet_status, $2::text, $3::bigint)
      and ("pets"."status", (lower(left("pets"."name", 500) collate "pet_names") collate "C"), "pets"."id") < ($4::pet_status, $5::text, $6::bigint))
    order by "pets"."status" desc, (lower(left("pets"."name", 500) collate "pet_names") collate "C") desc, "pets"."id" desc
    limit 101) as range
  limit $7::int) as page

-- listPets, prepared: ASC, from the end, a status, a prefix
-- $1 = sold, $2 = re, $3 = sold, $4 = rf, $5 = 21
select sum(octet_length("name")), array_agg("id"), array_agg("name"), array_agg("category_id"), array_agg("status"), array_agg(name_key)
from (
  select *
  from (
    select "pets"."id", "pets"."name", "pets"."category_id", "pets"."status", (lower(left("pets"."name", 500) collate "pet_names") collate "C") as name_key
    from "pets"
    where (("pets"."status", (lower(left("pets"."name", 500) collate "pet_names") collate "C")) >= ($1::pet_status, $2::text)
      and ("pets"."status", (lower(left("pets"."name", 500) collate "pet_names") collate "C")) < ($3::pet_status, $4::text))
    order by "pets"."status" desc, (lower(left("pets"."name", 500) collate "pet_names") collate "C") desc, "pets"."id" desc
    limit 101) as range
  limit $5::int) as page

-- listPets, prepared: ASC, from the end, a status, a prefix, before
-- $1 = sold, $2 = re, $3 = sold, $4 = rez, $5 = 99, $6 = 21
select sum(octet_length("name")), array_agg("id"), array_agg("name"), array_agg("category_id"), array_agg("status"), array_agg(name_key)
from (
  select *
  from (
    select "pets"."id", "pets"."name", "pets"."category_id", "pets"."status", (lower(left("pets"."name", 500) collate "pet_names") collate "C") as name_key
    from "pets"
    where (("pets"."status", (lower(left("pets"."name", 500) collate "pet_names") collate "C")) >= ($1::pet_status, $2::text)
      and ("pets"."status", (lower(left("pets"."name", 500) collate "pet_names") collate "C"), "pets"."id") < ($3::pet_status, $4::text, $5::bigint))
    order by "pets"."status" desc, (lower(left("pets"."name", 500) collate "pet_names") collate "C") desc, "pets"."id" desc
    limit 101) as range
  limit $6::int) as page

-- listPets, prepared: ASC, from the end, a status, a prefix, after
-- $1 = sold, $2 = rea, $3 = 11, $4 = sold, $5 = rf, $6 = 21
select sum(octet_length("name")), array_agg("id"), array_agg("name"), array_agg("category_id"), array_agg("status"), array_agg(name_key)
from (
  select *
  from (
    select "pets"."id", "pets"."name", "pets"."category_id", "pets"."status", (lower(left("pets"."name", 500) collate "pet_names") collate "C") as name_key
    from "pets"
    where (("pets"."status", (lower(left("pets"."name", 500) collate "pet_names") collate "C"), "pets"."id") > ($1::pet_status, $2::text, $3::bigint)
      and ("pets"."status", (lower(left("pets"."name", 500) collate "pet_names") collate "C")) < ($4::pet_status, $5::text))
    order by "pets"."status" desc, (lower(left("pets"."name", 500) collate "pet_names") collate "C") desc, "pets"."id" desc
    limit 101) as range
  limit $6::int) as page

-- listPets, prepared: ASC, from the end, a status, a prefix without an upper end
-- $1 = sold, $2 = \u{10ffff}, $3 = sold, $4 = 21
select sum(octet_length("name")), array_agg("id"), array_agg("name"), array_agg("category_id"), array_agg("status"), array_agg(name_key)
from (
  select *
  from (
    select "pets"."id", "pets"."name", "pets"."category_id", "pets"."status", (lower(left("pets"."name", 500) collate "pet_names") collate "C") as name_key
    from "pets"
    where (("pets"."status", (lower(left("pets"."name", 500) collate "pet_names") collate "C")) >= ($1::pet_status, $2::text)
      and ("pets"."status") <= ($3::pet_status))
    order by "pets"."status" desc, (lower(left("pets"."name", 500) collate "pet_names") collate "C") desc, "pets"."id" desc
    limit 101) as range
  limit $4::int) as page

-- listPets, prepared: ASC, from the end, a status, a category
-- $1 = sold, $2 = 7, $3 = sold, $4 = 7, $5 = 21
select sum(octet_length("name")), array_agg("id"), array_agg("name"), array_agg("category_id"), array_agg("status"), array_agg(name_key)
from (
  select *
  from (
    select "pets"."id", "pets"."name", "pets"."category_id", "pets"."status", (lower(left("pets"."name", 500) collate "pet_names") collate "C") as name_key
    from "pets"
    where (("pets"."status", "pets"."category_id") >= ($1::pet_status, $2::bigint)
      and ("pets"."status", "pets"."category_id") <= ($3::pet_status, $4::bigint))
    order by "pets"."status" desc, "pets"."category_id" desc, (lower(left("pets"."name", 500) collate "pet_names") collate "C") desc, "pets"."id" desc
    limit 101) as range
  limit $5::int) as page

-- listPets, prepared: ASC, from the end, a status, a category, before
-- $1 = sold, $2 = 7, $3 = sold, $4 = 7, $5 = rez, $6 = 99, $7 = 21
select sum(octet_length("name")), array_agg("id"), array_agg("name"), array_agg("category_id"), array_agg("status"), array_agg(name_key)
from (
  select *
  from (
    select "pets"."id", "pets"."name", "pets"."category_id", "pets"."status", (lower(left("pets"."name", 500) collate "pet_names") collate "C") as name_key
    from "pets"
    where (("pets"."status", "pets"."category_id") >= ($1::pet_status, $2::bigint)
      and ("pets"."status", "pets"."category_id", (lower(left("pets"."name", 500) collate "pet_names") collate "C"), "pets"."id") < ($3::pet_status, $4::bigint, $5::text, $6::bigint))
    order by "pets"."status" desc, "pets"."category_id" desc, (lower(left("pets"."name", 500) collate "pet_names") collate "C") desc, "pets"."id" desc
    limit 101) as range
  limit $7::int) as page

-- listPets, prepared: ASC, from the end, a status, a category, after
-- $1 = sold, $2 = 7, $3 = rea, $4 = 11, $5 = sold, $6 = 7, $7 = 21
select sum(octet_length("name")), array_agg("id"), array_agg("name"), array_agg("category_id"), array_agg("status"), array_agg(name_key)
from (
  select *
  from (
    select "pets"."id", "pets"."name", "pets"."category_id", "pets"."status", (lower(left("pets"."name", 500) collate "pet_names") collate "C") as name_key
    from "pets"
    where (("pets"."status", "pets"."category_id", (lower(left("pets"."name", 500) collate "pet_names") collate "C"), "pets"."id") > ($1::pet_status, $2::bigint, $3::text, $4::bigint)
      and ("pets"."status", "pets"."category_id") <= ($5::pet_status, $6::bigint))
    order by "pets"."status" desc, "pets"."category_id" desc, (lower(left("pets"."name", 500) collate "pet_names") collate "C") desc, "pets"."id" desc
    limit 101) as range
  limit $7::int) as page

-- listPets, prepared: ASC, from the end, a status, a category, after, before
-- $1 = sold, $2 = 7, $3 = rea, $4 = 11, $5 = sold, $6 = 7, $7 = rez, $8 = 99, $9 = 21
select sum(octet_length("name")), array_agg("id"), array_agg("name"), array_agg("category_id"), array_agg("status"), array_agg(name_key)
from (
  select *
  from (
    select "pets"."id", "pets"."name", "pets"."category_id", "pets"."status", (lower(left("pets"."name", 500) collate "pet_names") collate "C") as name_key
    from "pets"
    where (("pets"."status", "pets"."category_id", (lower(left("pets"."name", 500) collate "pet_names") collate "C"), "pets"."id") > ($1::pet_status, $2::bigint, $3::text, $4::bigint)
      and ("pets"."status", "pets"."category_id", (lower(left("pets"."name", 500) collate "pet_names") collate "C"), "pets"."id") < ($5::pet_status, $6::bigint, $7::text, $8::bigint))
    order by "pets"."status" desc, "pets"."category_id" desc, (lower(left("pets"."name", 500) collate "pet_names") collate "C") desc, "pets"."id" desc
    limit 101) as range
  limit $9::int) as page

-- listPets, prepared: ASC, from the end, a status, a category, a prefix
-- $1 = sold, $2 = 7, $3 = re, $4 = sold, $5 = 7, $6 = rf, $7 = 21
select sum(octet_length("name")), array_agg("id"), array_agg("name"), array_agg("category_id"), array_agg("status"), array_agg(name_key)
from (
  select *
  from (
    select "pets"."id", "pets"."name", "pets"."category_id", "pets"."status", (lower(left("pets"."name", 500) collate "pet_names") collate "C") as name_key
    from "pets"
    where (("pets"."status", "pets"."category_id", (lower(left("pets"."name", 500) collate "pet_names") collate "C")) >= ($1::pet_status, $2::bigint, $3::text)
      and ("pets"."status", "pets"."category_id", (lower(left("pets"."name", 500) collate "pet_names") collate "C")) < ($4::pet_status, $5::bigint, $6::text))
    order by "pets"."status" desc, "pets"."category_id" desc, (lower(left("pets"."name", 500) collate "pet_names") collate "C") desc, "pets"."id" desc
    limit 101) as range
  limit $7::int) as page

-- listPets, prepared: ASC, from the end, a status, a category, a prefix, before
-- $1 = sold, $2 = 7, $3 = re, $4 = sold, $5 = 7, $6 = rez, $7 = 99, $8 = 21
select sum(octet_length("name")), array_agg("id"), array_agg("name"), array_agg("category_id"), array_agg("status"), array_agg(name_key)
from (
  select *
  from (
    select "pets"."id", "pets"."name", "pets"."category_id", "pets"."status", (lower(left("pets"."name", 500) collate "pet_names") collate "C") as name_key
    from "pets"
    where (("pets"."status", "pets"."category_id", (lower(left("pets"."name", 500) collate "pet_names") collate "C")) >= ($1::pet_status, $2::bigint, $3::text)
      and ("pets"."status", "pets"."category_id", (lower(left("pets"."name", 500) collate "pet_names") collate "C"), "pets"."id") < ($4::pet_status, $5::bigint, $6::text, $7::bigint))
    order by "pets"."status" desc, "pets"."category_id" desc, (lower(left("pets"."name", 500) collate "pet_names") collate "C") desc, "pets"."id" desc
    limit 101) as range
  limit $8::int) as page

-- listPets, prepared: ASC, from the end, a status, a category, a prefix, after
-- $1 = sold, $2 = 7, $3 = rea, $4 = 11, $5 = sold, $6 = 7, $7 = rf, $8 = 21
select sum(octet_length("name")), array_agg("id"), array_agg("name"), array_agg("category_id"), array_agg("status"), array_agg(name_key)
from (
  select *
  from (
    select "pets"."id", "pets"."name", "pets"."category_id", "pets"."status", (lower(left("pets"."name", 500) collate "pet_names") collate "C") as name_key
    from "pets"
    where (("pets"."status", "pets"."category_id", (lower(left("pets"."name", 500) collate "pet_names") collate "C"), "pets"."id") > ($1::pet_status, $2::bigint, $3::text, $4::bigint)
      and ("pets"."status", "pets"."category_id", (lower(left("pets"."name", 500) collate "pet_names") collate "C")) < ($5::pet_status, $6::bigint, $7::text))
    order by "pets"."status" desc, "pets"."category_id" desc, (lower(left("pets"."name", 500) collate "pet_names") collate "C") desc, "pets"."id" desc
    limit 101) as range
  limit $8::int) as page

-- listPets, prepared: ASC, from the end, a status, a category, a prefix without an upper end
-- $1 = sold, $2 = 7, $3 = \u{10ffff}, $4 = sold, $5 = 7, $6 = 21
select sum(octet_length("name")), array_agg("id"), array_agg("name"), array_agg("category_id"), array_agg("status"), array_agg(name_key)
from (
  select *
  from (
    select "pets"."id", "pets"."name", "pets"."category_id", "pets"."status", (lower(left("pets"."name", 500) collate "pet_names") collate "C") as name_key
    from "pets"
    where (("pets"."status", "pets"."category_id", (lower(left("pets"."name", 500) collate "pet_names") collate "C")) >= ($1::pet_status, $2::bigint, $3::text)
      and ("pets"."status", "pets"."category_id") <= ($4::pet_status, $5::bigint))
    order by "pets"."status" desc, "pets"."category_id" desc, (lower(left("pets"."name", 500) collate "pet_names") collate "C") desc, "pets"."id" desc
    limit 101) as range
  limit $6::int) as page
