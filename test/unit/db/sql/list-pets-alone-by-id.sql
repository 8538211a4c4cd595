-- listPets, prepared: ASC, from the start
-- $1 = 21
select sum(octet_length("name")), array_agg("id"), array_agg("name"), array_agg("category_id"), array_agg("status")
from (
  select *
  from (
    select "pets"."id", "pets"."name", "pets"."category_id", "pets"."status"
    from "pets"
    order by "pets"."id" asc
    limit 101) as range
  limit $1::int) as page

-- listPets, prepared: ASC, from the start, before
-- $1 = 99, $2 = 21
select sum(octet_length("name")), array_agg("id"), array_agg("name"), array_agg("category_id"), array_agg("status")
from (
  select *
  from (
    select "pets"."id", "pets"."name", "pets"."category_id", "pets"."status"
    from "pets"
    where ("pets"."id") < ($1::bigint)
    order by "pets"."id" asc
    limit 101) as range
  limit $2::int) as page

-- listPets, prepared: ASC, from the start, after
-- $1 = 11, $2 = 21
select sum(octet_length("name")), array_agg("id"), array_agg("name"), array_agg("category_id"), array_agg("status")
from (
  select *
  from (
    select "pets"."id", "pets"."name", "pets"."category_id", "pets"."status"
    from "pets"
    where ("pets"."id") > ($1::bigint)
    order by "pets"."id" asc
    limit 101) as range
  limit $2::int) as page

-- listPets, prepared: ASC, from the start, after, before
-- $1 = 11, $2 = 99, $3 = 21
select sum(octet_length("name")), array_agg("id"), array_agg("name"), array_agg("category_id"), array_agg("status")
from (
  select *
  from (
    select "pets"."id", "pets"."name", "pets"."category_id", "pets"."status"
    from "pets"
    where (("pets"."id") > ($1::bigint)
      and ("pets"."id") < ($2::bigint))
    order by "pets"."id" asc
    limit 101) as range
  limit $3::int) as page

-- listPets, not prepared: ASC, from the start, a prefix
-- $1 = re, $2 = rf, $3 = 21
select sum(octet_length("name")), array_agg("id"), array_agg("name"), array_agg("category_id"), array_agg("status")
from (
  select *
  from (
    select "pets"."id", "pets"."name", "pets"."category_id", "pets"."status"
    from "pets"
    where ((lower(left("pets"."name", 500) collate "pet_names") collate "C") >= $1::text
      and (lower(left("pets"."name", 500) collate "pet_names") collate "C") < $2::text)
    order by "pets"."id" asc
    limit 101) as range
  limit $3::int) as page

-- listPets, not prepared: ASC, from the start, a prefix, before
-- $1 = 99, $2 = re, $3 = rf, $4 = 21
select sum(octet_length("name")), array_agg("id"), array_agg("name"), array_agg("category_id"), array_agg("status")
from (
  select *
  from (
    select "pets"."id", "pets"."name", "pets"."category_id", "pets"."status"
    from "pets"
    where (("pets"."id") < ($1::bigint)
      and (lower(left("pets"."name", 500) collate "pet_names") collate "C") >= $2::text
      and (lower(left("pets"."name", 500) collate "pet_names") collate "C") < $3::text)
    order by "pets"."id" asc
    limit 101) as range
  limit $4::int) as page

-- listPets, not prepared: ASC, from the start, a prefix, after
-- $1 = 11, $2 = re, $3 = rf, $4 = 21
select sum(octet_length("name")), array_agg("id"), array_agg("name"), array_agg("category_id"), array_agg("status")
from (
  select *
  from (
    select "pets"."id", "pets"."name", "pets"."category_id", "pets"."status"
    from "pets"
    where (("pets"."id") > ($1::bigint)
      and (lower(left("pets"."name", 500) collate "pet_names") collate "C") >= $2::text
      and (lower(left("pets"."name", 500) collate "pet_names") collate "C") < $3::text)
    order by "pets"."id" asc
    limit 101) as range
  limit $4::int) as page

-- listPets, not prepared: ASC, from the start, a prefix, after, before
-- $1 = 11, $2 = 99, $3 = re, $4 = rf, $5 = 21
select sum(octet_length("name")), array_agg("id"), array_agg("name"), array_agg("category_id"), array_agg("status")
from (
  select *
  from (
    select "pets"."id", "pets"."name", "pets"."category_id", "pets"."status"
    from "pets"
    where (("pets"."id") > ($1::bigint)
      and ("pets"."id") < ($2::bigint)
      and (lower(left("pets"."name", 500) collate "pet_names") collate "C") >= $3::text
      and (lower(left("pets"."name", 500) collate "pet_names") collate "C") < $4::text)
    order by "pets"."id" asc
    limit 101) as range
  limit $5::int) as page

-- listPets, not prepared: ASC, from the start, a prefix without an upper end
-- $1 = \u{10ffff}, $2 = 21
select sum(octet_length("name")), array_agg("id"), array_agg("name"), array_agg("category_id"), array_agg("status")
from (
  select *
  from (
    select "pets"."id", "pets"."name", "pets"."category_id", "pets"."status"
    from "pets"
    where (lower(left("pets"."name", 500) collate "pet_names") collate "C") >= $1::text
    order by "pets"."id" asc
    limit 101) as range
  limit $2::int) as page

-- listPets, not prepared: ASC, from the start, a prefix without an upper end, before
-- $1 = 99, $2 = \u{10ffff}, $3 = 21
select sum(octet_length("name")), array_agg("id"), array_agg("name"), array_agg("category_id"), array_agg("status")
from (
  select *
  from (
    select "pets"."id", "pets"."name", "pets"."category_id", "pets"."status"
    from "pets"
    where (("pets"."id") < ($1::bigint)
      and (lower(left("pets"."name", 500) collate "pet_names") collate "C") >= $2::text)
    order by "pets"."id" asc
    limit 101) as range
  limit $3::int) as page

-- listPets, not prepared: ASC, from the start, a prefix without an upper end, after
-- $1 = 11, $2 = \u{10ffff}, $3 = 21
select sum(octet_length("name")), array_agg("id"), array_agg("name"), array_agg("category_id"), array_agg("status")
from (
  select *
  from (
    select "pets"."id", "pets"."name", "pets"."category_id", "pets"."status"
    from "pets"
    where (("pets"."id") > ($1::bigint)
      and (lower(left("pets"."name", 500) collate "pet_names") collate "C") >= $2::text)
    order by "pets"."id" asc
    limit 101) as range
  limit $3::int) as page

-- listPets, not prepared: ASC, from the start, a prefix without an upper end, after, before
-- $1 = 11, $2 = 99, $3 = \u{10ffff}, $4 = 21
select sum(octet_length("name")), array_agg("id"), array_agg("name"), array_agg("category_id"), array_agg("status")
from (
  select *
  from (
    select "pets"."id", "pets"."name", "pets"."category_id", "pets"."status"
    from "pets"
    where (("pets"."id") > ($1::bigint)
      and ("pets"."id") < ($2::bigint)
      and (lower(left("pets"."name", 500) collate "pet_names") collate "C") >= $3::text)
    order by "pets"."id" asc
    limit 101) as range
  limit $4::int) as page

-- listPets, prepared: ASC, from the start, a category
-- $1 = 7, $2 = 7, $3 = 21
select sum(octet_length("name")), array_agg("id"), array_agg("name"), array_agg("category_id"), array_agg("status")
from (
  select *
  from (
    select "pets"."id", "pets"."name", "pets"."category_id", "pets"."status"
    from "pets"
    where (("pets"."category_id") >= ($1::bigint)
      and ("pets"."category_id") <= ($2::bigint))
    order by "pets"."category_id" asc, "pets"."id" asc
    limit 101) as range
  limit $3::int) as page

-- listPets, prepared: ASC, from the start, a category, before
-- $1 = 7, $2 = 7, $3 = 99, $4 = 21
select sum(octet_length("name")), array_agg("id"), array_agg("name"), array_agg("category_id"), array_agg("status")
from (
  select *
  from (
    select "pets"."id", "pets"."name", "pets"."category_id", "pets"."status"
    from "pets"
    where (("pets"."category_id") >= ($1::bigint)
      and ("pets"."category_id", "pets"."id") < ($2::bigint, $3::bigint))
    order by "pets"."category_id" asc, "pets"."id" asc
    limit 101) as range
  limit $4::int) as page

-- listPets, prepared: ASC, from the start, a category, after
-- $1 = 7, $2 = 11, $3 = 7, $4 = 21
select sum(octet_length("name")), array_agg("id"), array_agg("name"), array_agg("category_id"), array_agg("status")
from (
  select *
  from (
    select "pets"."id", "pets"."name", "pets"."category_id", "pets"."status"
    from "pets"
    where (("pets"."category_id", "pets"."id") > ($1::bigint, $2::bigint)
      and ("pets"."category_id") <= ($3::bigint))
    order by "pets"."category_id" asc, "pets"."id" asc
    limit 101) as range
  limit $4::int) as page

-- listPets, prepared: ASC, from the start, a category, after, before
-- $1 = 7, $2 = 11, $3 = 7, $4 = 99, $5 = 21
select sum(octet_length("name")), array_agg("id"), array_agg("name"), array_agg("category_id"), array_agg("status")
from (
  select *
  from (
    select "pets"."id", "pets"."name", "pets"."category_id", "pets"."status"
    from "pets"
    where (("pets"."category_id", "pets"."id") > ($1::bigint, $2::bigint)
      and ("pets"."category_id", "pets"."id") < ($3::bigint, $4::bigint))
    order by "pets"."category_id" asc, "pets"."id" asc
    limit 101) as range
  limit $5::int) as page

-- listPets, not prepared: ASC, from the start, a category, a prefix
-- $1 = 7, $2 = 7, $3 = re, $4 = rf, $5 = 21
select sum(octet_length("name")), array_agg("id"), array_agg("name"), array_agg("category_id"), array_agg("status")
from (
  select *
  from (
    select "pets"."id", "pets"."name", "pets"."category_id", "pets"."status"
    from "pets"
    where (("pets"."category_id") >= ($1::bigint)
      and ("pets"."category_id") <= ($2::bigint)
      and (lower(left("pets"."name", 500) collate "pet_names") collate "C") >= $3::text
      and (lower(left("pets"."name", 500) collate "pet_names") collate "C") < $4::text)
    order by "pets"."category_id" asc, "pets"."id" asc
    limit 101) as range
  limit $5::int) as page

-- listPets, not prepared: ASC, from the start, a category, a prefix, before
-- $1 = 7, $2 = 7, $3 = 99, $4 = re, $5 = rf, $6 = 21
select sum(octet_length("name")), array_agg("id"), array_agg("name"), array_agg("category_id"), array_agg("status")
from (
  select *
  from (
    select "pets"."id", "pets"."name", "pets"."category_id", "pets"."status"
    from "pets"
    where (("pets"."category_id") >= ($1::bigint)
      and ("pets"."category_id", "pets"."id") < ($2::bigint, $3::bigint)
      and (lower(left("pets"."name", 500) collate "pet_names") collate "C") >= $4::text
      and (lower(left("pets"."name", 500) collate "pet_names") collate "C") < $5::text)
    order by "pets"."category_id" asc, "pets"."id" asc
    limit 101) as range
  limit $6::int) as page

-- listPets, not prepared: ASC, from the start, a category, a prefix, after
-- $1 = 7, $2 = 11, $3 = 7, $4 = re, $5 = rf, $6 = 21
select sum(octet_length("name")), array_agg("id"), array_agg("name"), array_agg("category_id"), array_agg("status")
from (
  select *
  from (
    select "pets"."id", "pets"."name", "pets"."category_id", "pets"."status"
    from "pets"
    where (("pets"."category_id", "pets"."id") > ($1::bigint, $2::bigint)
      and ("pets"."category_id") <= ($3::bigint)
      and (lower(left("pets"."name", 500) collate "pet_names") collate "C") >= $4::text
      and (lower(left("pets"."name", 500) collate "pet_names") collate "C") < $5::text)
    order by "pets"."category_id" asc, "pets"."id" asc
    limit 101) as range
  limit $6::int) as page

-- listPets, not prepared: ASC, from the start, a category, a prefix, after, before
-- $1 = 7, $2 = 11, $3 = 7, $4 = 99, $5 = re, $6 = rf, $7 = 21
select sum(octet_length("name")), array_agg("id"), array_agg("name"), array_agg("category_id"), array_agg("status")
from (
  select *
  from (
    select "pets"."id", "pets"."name", "pets"."category_id", "pets"."status"
    from "pets"
    where (("pets"."category_id", "pets"."id") > ($1::bigint, $2::bigint)
      and ("pets"."category_id", "pets"."id") < ($3::bigint, $4::bigint)
      and (lower(left("pets"."name", 500) collate "pet_names") collate "C") >= $5::text
      and (lower(left("pets"."name", 500) collate "pet_names") collate "C") < $6::text)
    order by "pets"."category_id" asc, "pets"."id" asc
    limit 101) as range
  limit $7::int) as page

-- listPets, not prepared: ASC, from the start, a category, a prefix without an upper end
-- $1 = 7, $2 = 7, $3 = \u{10ffff}, $4 = 21
select sum(octet_length("name")), array_agg("id"), array_agg("name"), array_agg("category_id"), array_agg("status")
from (
  select *
  from (
    select "pets"."id", "pets"."name", "pets"."category_id", "pets"."status"
    from "pets"
    where (("pets"."category_id") >= ($1::bigint)
      and ("pets"."category_id") <= ($2::bigint)
      and (lower(left("pets"."name", 500) collate "pet_names") collate "C") >= $3::text)
    order by "pets"."category_id" asc, "pets"."id" asc
    limit 101) as range
  limit $4::int) as page

-- listPets, not prepared: ASC, from the start, a category, a prefix without an upper end, before
-- $1 = 7, $2 = 7, $3 = 99, $4 = \u{10ffff}, $5 = 21
select sum(octet_length("name")), array_agg("id"), array_agg("name"), array_agg("category_id"), array_agg("status")
from (
  select *
  from (
    select "pets"."id", "pets"."name", "pets"."category_id", "pets"."status"
    from "pets"
    where (("pets"."category_id") >= ($1::bigint)
      and ("pets"."category_id", "pets"."id") < ($2::bigint, $3::bigint)
      and (lower(left("pets"."name", 500) collate "pet_names") collate "C") >= $4::text)
    order by "pets"."category_id" asc, "pets"."id" asc
    limit 101) as range
  limit $5::int) as page

-- listPets, not prepared: ASC, from the start, a category, a prefix without an upper end, after
-- $1 = 7, $2 = 11, $3 = 7, $4 = \u{10ffff}, $5 = 21
select sum(octet_length("name")), array_agg("id"), array_agg("name"), array_agg("category_id"), array_agg("status")
from (
  select *
  from (
    select "pets"."id", "pets"."name", "pets"."category_id", "pets"."status"
    from "pets"
    where (("pets"."category_id", "pets"."id") > ($1::bigint, $2::bigint)
      and ("pets"."category_id") <= ($3::bigint)
      and (lower(left("pets"."name", 500) collate "pet_names") collate "C") >= $4::text)
    order by "pets"."category_id" asc, "pets"."id" asc
    limit 101) as range
  limit $5::int) as page

-- listPets, not prepared: ASC, from the start, a category, a prefix without an upper end, after, before
-- $1 = 7, $2 = 11, $3 = 7, $4 = 99, $5 = \u{10ffff}, $6 = 21
select sum(octet_length("name")), array_agg("id"), array_agg("name"), array_agg("category_id"), array_agg("status")
from (
  select *
  from (
    select "pets"."id", "pets"."name", "pets"."category_id", "pets"."status"
    from "pets"
    where (("pets"."category_id", "pets"."id") > ($1::bigint, $2::bigint)
      and ("pets"."category_id", "pets"."id") < ($3::bigint, $4::bigint)
      and (lower(left("pets"."name", 500) collate "pet_names") collate "C") >= $5::text)
    order by "pets"."category_id" asc, "pets"."id" asc
    limit 101) as range
  limit $6::int) as page

-- listPets, prepared: ASC, from the start, a status
-- $1 = sold, $2 = sold, $3 = 21
select sum(octet_length("name")), array_agg("id"), array_agg("name"), array_agg("category_id"), array_agg("status")
from (
  select *
  from (
    select "pets"."id", "pets"."name", "pets"."category_id", "pets"."status"
    from "pets"
    where (("pets"."status") >= ($1::pet_status)
      and ("pets"."status") <= ($2::pet_status))
    order by "pets"."status" asc, "pets"."id" asc
    limit 101) as range
  limit $3::int) as page

-- listPets, prepared: ASC, from the start, a status, before
-- $1 = sold, $2 = sold, $3 = 99, $4 = 21
select sum(octet_length("name")), array_agg("id"), array_agg("name"), array_agg("category_id"), array_agg("status")
from (
  select *
  from (
    select "pets"."id", "pets"."name", "pets"."category_id", "pets"."status"
    from "pets"
    where (("pets"."status") >= ($1::pet_status)
      and ("pets"."status", "pets"."id") < ($2::pet_status, $3::bigint))
    order by "pets"."status" asc, "pets"."id" asc
    limit 101) as range
  limit $4::int) as page

-- listPets, prepared: ASC, from the start, a status, after
-- $1 = sold, $2 = 11, $3 = sold, $4 = 21
select sum(octet_length("name")), array_agg("id"), array_agg("name"), array_agg("category_id"), array_agg("status")
from (
  select *
  from (
    select "pets"."id", "pets"."name", "pets"."category_id", "pets"."status"
    from "pets"
    where (("pets"."status", "pets"."id") > ($1::pet_status, $2::bigint)
      and ("pets"."status") <= ($3::pet_status))
    order by "pets"."status" asc, "pets"."id" asc
    limit 101) as range
  limit $4::int) as page

-- listPets, prepared: ASC, from the start, a status, after, before
-- $1 = sold, $2 = 11, $3 = sold, $4 = 99, $5 = 21
select sum(octet_length("name")), array_agg("id"), array_agg("name"), array_agg("category_id"), array_agg("status")
from (
  select *
  from (
    select "pets"."id", "pets"."name", "pets"."category_id", "pets"."status"
    from "pets"
    where (("pets"."status", "pets"."id") > ($1::pet_status, $2::bigint)
      and ("pets"."status", "pets"."id") < ($3::pet_status, $4::bigint))
    order by "pets"."status" asc, "pets"."id" asc
    limit 101) as range
  limit $5::int) as page

-- listPets, not prepared: ASC, from the start, a status, a prefix
-- $1 = sold, $2 = sold, $3 = re, $4 = rf, $5 = 21
select sum(octet_length("name")), array_agg("id"), array_agg("name"), array_agg("category_id"), array_agg("status")
from (
  select *
  from (
    select "pets"."id", "pets"."name", "pets"."category_id", "pets"."status"
    from "pets"
    where (("pets"."status") >= ($1::pet_status)
      and ("pets"."status") <= ($2::pet_status)
      and (lower(left("pets"."name", 500) collate "pet_names") collate "C") >= $3::text
      and (lower(left("pets"."name", 500) collate "pet_names") collate "C") < $4::text)
    order by "pets"."status" asc, "pets"."id" asc
    limit 101) as range
  limit $5::int) as page

-- listPets, not prepared: ASC, from the start, a status, a prefix, before
-- $1 = sold, $2 = sold, $3 = 99, $4 = re, $5 = rf, $6 = 21
select sum(octet_length("name")), array_agg("id"), array_agg("name"), array_agg("category_id"), array_agg("status")
from (
  select *
  from (
    select "pets"."id", "pets"."name", "pets"."category_id", "pets"."status"
    from "pets"
    where (("pets"."status") >= ($1::pet_status)
      and ("pets"."status", "pets"."id") < ($2::pet_status, $3::bigint)
      and (lower(left("pets"."name", 500) collate "pet_names") collate "C") >= $4::text
      and (lower(left("pets"."name", 500) collate "pet_names") collate "C") < $5::text)
    order by "pets"."status" asc, "pets"."id" asc
    limit 101) as range
  limit $6::int) as page

-- listPets, not prepared: ASC, from the start, a status, a prefix, after
-- $1 = sold, $2 = 11, $3 = sold, $4 = re, $5 = rf, $6 = 21
select sum(octet_length("name")), array_agg("id"), array_agg("name"), array_agg("category_id"), array_agg("status")
from (
  select *
  from (
    select "pets"."id", "pets"."name", "pets"."category_id", "pets"."status"
    from "pets"
    where (("pets"."status", "pets"."id") > ($1::pet_status, $2::bigint)
      and ("pets"."status") <= ($3::pet_status)
      and (lower(left("pets"."name", 500) collate "pet_names") collate "C") >= $4::text
      and (lower(left("pets"."name", 500) collate "pet_names") collate "C") < $5::text)
    order by "pets"."status" asc, "pets"."id" asc
    limit 101) as range
  limit $6::int) as page

-- listPets, not prepared: ASC, from the start, a status, a prefix, after, before
-- $1 = sold, $2 = 11, $3 = sold, $4 = 99, $5 = re, $6 = rf, $7 = 21
select sum(octet_length("name")), array_agg("id"), array_agg("name"), array_agg("category_id"), array_agg("status")
from (
  select *
  from (
    select "pets"."id", "pets"."name", "pets"."category_id", "pets"."status"
    from "pets"
    where (("pets"."status", "pets"."id") > ($1::pet_status, $2::bigint)
      and ("pets"."status", "pets"."id") < ($3::pet_status, $4::bigint)
      and (lower(left("pets"."name", 500) collate "pet_names") collate "C") >= $5::text
      and (lower(left("pets"."name", 500) collate "pet_names") collate "C") < $6::text)
    order by "pets"."status" asc, "pets"."id" asc
    limit 101) as range
  limit $7::int) as page

-- listPets, not prepared: ASC, from the start, a status, a prefix without an upper end
-- $1 = sold, $2 = sold, $3 = \u{10ffff}, $4 = 21
select sum(octet_length("name")), array_agg("id"), array_agg("name"), array_agg("category_id"), array_agg("status")
from (
  select *
  from (
    select "pets"."id", "pets"."name", "pets"."category_id", "pets"."status"
    from "pets"
    where (("pets"."status") >= ($1::pet_status)
      and ("pets"."status") <= ($2::pet_status)
      and (lower(left("pets"."name", 500) collate "pet_names") collate "C") >= $3::text)
    order by "pets"."status" asc, "pets"."id" asc
    limit 101) as range
  limit $4::int) as page

-- listPets, not prepared: ASC, from the start, a status, a prefix without an upper end, before
-- $1 = sold, $2 = sold, $3 = 99, $4 = \u{10ffff}, $5 = 21
select sum(octet_length("name")), array_agg("id"), array_agg("name"), array_agg("category_id"), array_agg("status")
from (
  select *
  from (
    select "pets"."id", "pets"."name", "pets"."category_id", "pets"."status"
    from "pets"
    where (("pets"."status") >= ($1::pet_status)
      and ("pets"."status", "pets"."id") < ($2::pet_status, $3::bigint)
      and (lower(left("pets"."name", 500) collate "pet_names") collate "C") >= $4::text)
    order by "pets"."status" asc, "pets"."id" asc
    limit 101) as range
  limit $5::int) as page

-- listPets, not prepared: ASC, from the start, a status, a prefix without an upper end, after
-- $1 = sold, $2 = 11, $3 = sold, $4 = \u{10ffff}, $5 = 21
select sum(octet_length("name")), array_agg("id"), array_agg("name"), array_agg("category_id"), array_agg("status")
from (
  select *
  from (
    select "pets"."id", "pets"."name", "pets"."category_id", "pets"."status"
    from "pets"
    where (("pets"."status", "pets"."id") > ($1::pet_status, $2::bigint)
      and ("pets"."status") <= ($3::pet_status)
      and (lower(left("pets"."name", 500) collate "pet_names") collate "C") >= $4::text)
    order by "pets"."status" asc, "pets"."id" asc
    limit 101) as range
  limit $5::int) as page

-- listPets, not prepared: ASC, from the start, a status, a prefix without an upper end, after, before
-- $1 = sold, $2 = 11, $3 = sold, $4 = 99, $5 = \u{10ffff}, $6 = 21
select sum(octet_length("name")), array_agg("id"), array_agg("name"), array_agg("category_id"), array_agg("status")
from (
  select *
  from (
    select "pets"."id", "pets"."name", "pets"."category_id", "pets"."status"
    from "pets"
    where (("pets"."status", "pets"."id") > ($1::pet_status, $2::bigint)
      and ("pets"."status", "pets"."id") < ($3::pet_status, $4::bigint)
      and (lower(left("pets"."name", 500) collate "pet_names") collate "C") >= $5::text)
    order by "pets"."status" asc, "pets"."id" asc
    limit 101) as range
  limit $6::int) as page

-- listPets, prepared: ASC, from the start, a status, a category
-- $1 = sold, $2 = 7, $3 = sold, $4 = 7, $5 = 21
select sum(octet_length("name")), array_agg("id"), array_agg("name"), array_agg("category_id"), array_agg("status")
from (
  select *
  from (
    select "pets"."id", "pets"."name", "pets"."category_id", "pets"."status"
    from "pets"
    where (("pets"."status", "pets"."category_id") >= ($1::pet_status, $2::bigint)
      and ("pets"."status", "pets"."category_id") <= ($3::pet_status, $4::bigint))
    order by "pets"."status" asc, "pets"."category_id" asc, "pets"."id" asc
    limit 101) as range
  limit $5::int) as page

-- listPets, prepared: ASC, from the start, a status, a category, before
-- $1 = sold, $2 = 7, $3 = sold, $4 = 7, $5 = 99, $6 = 21
select sum(octet_length("name")), array_agg("id"), array_agg("name"), array_agg("category_id"), array_agg("status")
from (
  select *
  from (
    select "pets"."id", "pets"."name", "pets"."category_id", "pets"."status"
    from "pets"
    where (("pets"."status", "pets"."category_id") >= ($1::pet_status, $2::bigint)
      and ("pets"."status", "pets"."category_id", "pets"."id") < ($3::pet_status, $4::bigint, $5::bigint))
    order by "pets"."status" asc, "pets"."category_id" asc, "pets"."id" asc
    limit 101) as range
  limit $6::int) as page

-- listPets, prepared: ASC, from the start, a status, a category, after
-- $1 = sold, $2 = 7, $3 = 11, $4 = sold, $5 = 7, $6 = 21
select sum(octet_length("name")), array_agg("id"), array_agg("name"), array_agg("category_id"), array_agg("status")
from (
  select *
  from (
    select "pets"."id", "pets"."name", "pets"."category_id", "pets"."status"
    from "pets"
    where (("pets"."status", "pets"."category_id", "pets"."id") > ($1::pet_status, $2::bigint, $3::bigint)
      and ("pets"."status", "pets"."category_id") <= ($4::pet_status, $5::bigint))
    order by "pets"."status" asc, "pets"."category_id" asc, "pets"."id" asc
    limit 101) as range
  limit $6::int) as page

-- listPets, prepared: ASC, from the start, a status, a category, after, before
-- $1 = sold, $2 = 7, $3 = 11, $4 = sold, $5 = 7, $6 = 99, $7 = 21
select sum(octet_length("name")), array_agg("id"), array_agg("name"), array_agg("category_id"), array_agg("status")
from (
  select *
  from (
    select "pets"."id", "pets"."name", "pets"."category_id", "pets"."status"
    from "pets"
    where (("pets"."status", "pets"."category_id", "pets"."id") > ($1::pet_status, $2::bigint, $3::bigint)
      and ("pets"."status", "pets"."category_id", "pets"."id") < ($4::pet_status, $5::bigint, $6::bigint))
    order by "pets"."status" asc, "pets"."category_id" asc, "pets"."id" asc
    limit 101) as range
  limit $7::int) as page

-- listPets, not prepared: ASC, from the start, a status, a category, a prefix
-- $1 = sold, $2 = 7, $3 = sold, $4 = 7, $5 = re, $6 = rf, $7 = 21
select sum(octet_length("name")), array_agg("id"), array_agg("name"), array_agg("category_id"), array_agg("status")
from (
  select *
  from (
    select "pets"."id", "pets"."name", "pets"."category_id", "pets"."status"
    from "pets"
    where (("pets"."status", "pets"."category_id") >= ($1::pet_status, $2::bigint)
      and ("pets"."status", "pets"."category_id") <= ($3::pet_status, $4::bigint)
      and (lower(left("pets"."name", 500) collate "pet_names") collate "C") >= $5::text
      and (lower(left("pets"."name", 500) collate "pet_names") collate "C") < $6::text)
    order by "pets"."status" asc, "pets"."category_id" asc, "pets"."id" asc
    limit 101) as range
  limit $7::int) as page

-- listPets, not prepared: ASC, from the start, a status, a category, a prefix, before
-- $1 = sold, $2 = 7, $3 = sold, $4 = 7, $5 = 99, $6 = re, $7 = rf, $8 = 21
select sum(octet_length("name")), array_agg("id"), array_agg("name"), array_agg("category_id"), array_agg("status")
from (
  select *
  from (
    select "pets"."id", "pets"."name", "pets"."category_id", "pets"."status"
    from "pets"
    where (("pets"."status", "pets"."category_id") >= ($1::pet_status, $2::bigint)
      and ("pets"."status", "pets"."category_id", "pets"."id") < ($3::pet_status, $4::bigint, $5::bigint)
      and (lower(left("pets"."name", 500) collate "pet_names") collate "C") >= $6::text
      and (lower(left("pets"."name", 500) collate "pet_names") collate "C") < $7::text)
    order by "pets"."status" asc, "pets"."category_id" asc, "pets"."id" asc
    limit 101) as range
  limit $8::int) as page

-- listPets, not prepared: ASC, from the start, a status, a category, a prefix, after
-- $1 = sold, $2 = 7, $3 = 11, $4 = sold, $5 = 7, $6 = re, $7 = rf, $8 = 21
select sum(octet_length("name")), array_agg("id"), array_agg("name"), array_agg("category_id"), array_agg("status")
from (
  select *
  from (
    select "pets"."id", "pets"."name", "pets"."category_id", "pets"."status"
    from "pets"
    where (("pets"."status", "pets"."category_id", "pets"."id") > ($1::pet_status, $2::bigint, $3::bigint)
      and ("pets"."status", "pets"."category_id") <= ($4::pet_status, $5::bigint)
      and (lower(left("pets"."name", 500) collate "pet_names") collate "C") >= $6::text
      and (lower(left("pets"."name", 500) collate "pet_names") collate "C") < $7::text)
    order by "pets"."status" asc, "pets"."category_id" asc, "pets"."id" asc
    limit 101) as range
  limit $8::int) as page

-- listPets, not prepared: ASC, from the start, a status, a category, a prefix, after, before
-- $1 = sold, $2 = 7, $3 = 11, $4 = sold, $5 = 7, $6 = 99, $7 = re, $8 = rf, $9 = 21
select sum(octet_length("name")), array_agg("id"), array_agg("name"), array_agg("category_id"), array_agg("status")
from (
  select *
  from (
    select "pets"."id", "pets"."name", "pets"."category_id", "pets"."status"
    from "pets"
    where (("pets"."status", "pets"."category_id", "pets"."id") > ($1::pet_status, $2::bigint, $3::bigint)
      and ("pets"."status", "pets"."category_id", "pets"."id") < ($4::pet_status, $5::bigint, $6::bigint)
      and (lower(left("pets"."name", 500) collate "pet_names") collate "C") >= $7::text
      and (lower(left("pets"."name", 500) collate "pet_names") collate "C") < $8::text)
    order by "pets"."status" asc, "pets"."category_id" asc, "pets"."id" asc
    limit 101) as range
  limit $9::int) as page

-- listPets, not prepared: ASC, from the start, a status, a category, a prefix without an upper end
-- $1 = sold, $2 = 7, $3 = sold, $4 = 7, $5 = \u{10ffff}, $6 = 21
select sum(octet_length("name")), array_agg("id"), array_agg("name"), array_agg("category_id"), array_agg("status")
from (
  select *
  from (
    select "pets"."id", "pets"."name", "pets"."category_id", "pets"."status"
    from "pets"
    where (("pets"."status", "pets"."category_id") >= ($1::pet_status, $2::bigint)
      and ("pets"."status", "pets"."category_id") <= ($3::pet_status, $4::bigint)
      and (lower(left("pets"."name", 500) collate "pet_names") collate "C") >= $5::text)
    order by "pets"."status" asc, "pets"."category_id" asc, "pets"."id" asc
    limit 101) as range
  limit $6::int) as page

-- listPets, not prepared: ASC, from the start, a status, a category, a prefix without an upper end, before
-- $1 = sold, $2 = 7, $3 = sold, $4 = 7, $5 = 99, $6 = \u{10ffff}, $7 = 21
select sum(octet_length("name")), array_agg("id"), array_agg("name"), array_agg("category_id"), array_agg("status")
from (
  select *
  from (
    select "pets"."id", "pets"."name", "pets"."category_id", "pets"."status"
    from "pets"
    where (("pets"."status", "pets"."category_id") >= ($1::pet_status, $2::bigint)
      and ("pets"."status", "pets"."category_id", "pets"."id") < ($3::pet_status, $4::bigint, $5::bigint)
      and (lower(left("pets"."name", 500) collate "pet_names") collate "C") >= $6::text)
    order by "pets"."status" asc, "pets"."category_id" asc, "pets"."id" asc
    limit 101) as range
  limit $7::int) as page

-- listPets, not prepared: ASC, from the start, a status, a category, a prefix without an upper end, after
-- $1 = sold, $2 = 7, $3 = 11, $4 = sold, $5 = 7, $6 = \u{10ffff}, $7 = 21
select sum(octet_length("name")), array_agg("id"), array_agg("name"), array_agg("category_id"), array_agg("status")
from (
  select *
  from (
    select "pets"."id", "pets"."name", "pets"."category_id", "pets"."status"
    from "pets"
    where (("pets"."status", "pets"."category_id", "pets"."id") > ($1::pet_status, $2::bigint, $3::bigint)
      and ("pets"."status", "pets"."category_id") <= ($4::pet_status, $5::bigint)
      and (lower(left("pets"."name", 500) collate "pet_names") collate "C") >= $6::text)
    order by "pets"."status" asc, "pets"."category_id" asc, "pets"."id" asc
    limit 101) as range
  limit $7::int) as page

-- listPets, not prepared: ASC, from the start, a status, a category, a prefix without an upper end, after, before
-- $1 = sold, $2 = 7, $3 = 11, $4 = sold, $5 = 7, $6 = 99, $7 = \u{10ffff}, $8 = 21
select sum(octet_length("name")), array_agg("id"), array_agg("name"), array_agg("category_id"), array_agg("status")
from (
  select *
  from (
    select "pets"."id", "pets"."name", "pets"."category_id", "pets"."status"
    from "pets"
    where (("pets"."status", "pets"."category_id", "pets"."id") > ($1::pet_status, $2::bigint, $3::bigint)
      and ("pets"."status", "pets"."category_id", "pets"."id") < ($4::pet_status, $5::bigint, $6::bigint)
      and (lower(left("pets"."name", 500) collate "pet_names") collate "C") >= $7::text)
    order by "pets"."status" asc, "pets"."category_id" asc, "pets"."id" asc
    limit 101) as range
  limit $8::int) as page

-- listPets, prepared: ASC, from the end
-- $1 = 21
select sum(octet_length("name")), array_agg("id"), array_agg("name"), array_agg("category_id"), array_agg("status")
from (
  select *
  from (
    select "pets"."id", "pets"."name", "pets"."category_id", "pets"."status"
    from "pets"
    order by "pets"."id" desc
    limit 101) as range
  limit $1::int) as page

-- listPets, prepared: ASC, from the end, before
-- $1 = 99, $2 = 21
select sum(octet_length("name")), array_agg("id"), array_agg("name"), array_agg("category_id"), array_agg("status")
from (
  select *
  from (
    select "pets"."id", "pets"."name", "pets"."category_id", "pets"."status"
    from "pets"
    where ("pets"."id") < ($1::bigint)
    order by "pets"."id" desc
    limit 101) as range
  limit $2::int) as page

-- listPets, prepared: ASC, from the end, after
-- $1 = 11, $2 = 21
select sum(octet_length("name")), array_agg("id"), array_agg("name"), array_agg("category_id"), array_agg("status")
from (
  select *
  from (
    select "pets"."id", "pets"."name", "pets"."category_id", "pets"."status"
    from "pets"
    where ("pets"."id") > ($1::bigint)
    order by "pets"."id" desc
    limit 101) as range
  limit $2::int) as page

-- listPets, prepared: ASC, from the end, after, before
-- $1 = 11, $2 = 99, $3 = 21
select sum(octet_length("name")), array_agg("id"), array_agg("name"), array_agg("category_id"), array_agg("status")
from (
  select *
  from (
    select "pets"."id", "pets"."name", "pets"."category_id", "pets"."status"
    from "pets"
    where (("pets"."id") > ($1::bigint)
      and ("pets"."id") < ($2::bigint))
    order by "pets"."id" desc
    limit 101) as range
  limit $3::int) as page

-- listPets, not prepared: ASC, from the end, a prefix
-- $1 = re, $2 = rf, $3 = 21
select sum(octet_length("name")), array_agg("id"), array_agg("name"), array_agg("category_id"), array_agg("status")
from (
  select *
  from (
    select "pets"."id", "pets"."name", "pets"."category_id", "pets"."status"
    from "pets"
    where ((lower(left("pets"."name", 500) collate "pet_names") collate "C") >= $1::text
      and (lower(left("pets"."name", 500) collate "pet_names") collate "C") < $2::text)
    order by "pets"."id" desc
    limit 101) as range
  limit $3::int) as page

-- listPets, not prepared: ASC, from the end, a prefix, before
-- $1 = 99, $2 = re, $3 = rf, $4 = 21
select sum(octet_length("name")), array_agg("id"), array_agg("name"), array_agg("category_id"), array_agg("status")
from (
  select *
  from (
    select "pets"."id", "pets"."name", "pets"."category_id", "pets"."status"
    from "pets"
    where (("pets"."id") < ($1::bigint)
      and (lower(left("pets"."name", 500) collate "pet_names") collate "C") >= $2::text
      and (lower(left("pets"."name", 500) collate "pet_names") collate "C") < $3::text)
    order by "pets"."id" desc
    limit 101) as range
  limit $4::int) as page

-- listPets, not prepared: ASC, from the end, a prefix, after
-- $1 = 11, $2 = re, $3 = rf, $4 = 21
select sum(octet_length("name")), array_agg("id"), array_agg("name"), array_agg("category_id"), array_agg("status")
from (
  select *
  from (
    select "pets"."id", "pets"."name", "pets"."category_id", "pets"."status"
    from "pets"
    where (("pets"."id") > ($1::bigint)
      and (lower(left("pets"."name", 500) collate "pet_names") collate "C") >= $2::text
      and (lower(left("pets"."name", 500) collate "pet_names") collate "C") < $3::text)
    order by "pets"."id" desc
    limit 101) as range
  limit $4::int) as page

-- listPets, not prepared: ASC, from the end, a prefix, after, before
-- $1 = 11, $2 = 99, $3 = re, $4 = rf, $5 = 21
select sum(octet_length("name")), array_agg("id"), array_agg("name"), array_agg("category_id"), array_agg("status")
from (
  select *
  from (
    select "pets"."id", "pets"."name", "pets"."category_id", "pets"."status"
    from "pets"
    where (("pets"."id") > ($1::bigint)
      and ("pets"."id") < ($2::bigint)
      and (lower(left("pets"."name", 500) collate "pet_names") collate "C") >= $3::text
      and (lower(left("pets"."name", 500) collate "pet_names") collate "C") < $4::text)
    order by "pets"."id" desc
    limit 101) as range
  limit $5::int) as page

-- listPets, not prepared: ASC, from the end, a prefix without an upper end
-- $1 = \u{10ffff}, $2 = 21
select sum(octet_length("name")), array_agg("id"), array_agg("name"), array_agg("category_id"), array_agg("status")
from (
  select *
  from (
    select "pets"."id", "pets"."name", "pets"."category_id", "pets"."status"
    from "pets"
    where (lower(left("pets"."name", 500) collate "pet_names") collate "C") >= $1::text
    order by "pets"."id" desc
    limit 101) as range
  limit $2::int) as page

-- listPets, not prepared: ASC, from the end, a prefix without an upper end, before
-- $1 = 99, $2 = \u{10ffff}, $3 = 21
select sum(octet_length("name")), array_agg("id"), array_agg("name"), array_agg("category_id"), array_agg("status")
from (
  select *
  from (
    select "pets"."id", "pets"."name", "pets"."category_id", "pets"."status"
    from "pets"
    where (("pets"."id") < ($1::bigint)
      and (lower(left("pets"."name", 500) collate "pet_names") collate "C") >= $2::text)
    order by "pets"."id" desc
    limit 101) as range
  limit $3::int) as page

-- listPets, not prepared: ASC, from the end, a prefix without an upper end, after
-- $1 = 11, $2 = \u{10ffff}, $3 = 21
select sum(octet_length("name")), array_agg("id"), array_agg("name"), array_agg("category_id"), array_agg("status")
from (
  select *
  from (
    select "pets"."id", "pets"."name", "pets"."category_id", "pets"."status"
    from "pets"
    where (("pets"."id") > ($1::bigint)
      and (lower(left("pets"."name", 500) collate "pet_names") collate "C") >= $2::text)
    order by "pets"."id" desc
    limit 101) as range
  limit $3::int) as page

-- listPets, not prepared: ASC, from the end, a prefix without an upper end, after, before
-- $1 = 11, $2 = 99, $3 = \u{10ffff}, $4 = 21
select sum(octet_length("name")), array_agg("id"), array_agg("name"), array_agg("category_id"), array_agg("status")
from (
  select *
  from (
    select "pets"."id", "pets"."name", "pets"."category_id", "pets"."status"
    from "pets"
    where (("pets"."id") > ($1::bigint)
      and ("pets"."id") < ($2::bigint)
      and (lower(left("pets"."name", 500) collate "pet_names") collate "C") >= $3::text)
    order by "pets"."id" desc
    limit 101) as range
  limit $4::int) as page

-- listPets, prepared: ASC, from the end, a category
-- $1 = 7, $2 = 7, $3 = 21
select sum(octet_length("name")), array_agg("id"), array_agg("name"), array_agg("category_id"), array_agg("status")
from (
  select *
  from (
    select "pets"."id", "pets"."name", "pets"."category_id", "pets"."status"
    from "pets"
    where (("pets"."category_id") >= ($1::bigint)
      and ("pets"."category_id") <= ($2::bigint))
    order by "pets"."category_id" desc, "pets"."id" desc
    limit 101) as range
  limit $3::int) as page

-- listPets, prepared: ASC, from the end, a category, before
-- $1 = 7, $2 = 7, $3 = 99, $4 = 21
select sum(octet_length("name")), array_agg("id"), array_agg("name"), array_agg("category_id"), array_agg("status")
from (
  select *
  from (
    select "pets"."id", "pets"."name", "pets"."category_id", "pets"."status"
    from "pets"
    where (("pets"."category_id") >= ($1::bigint)
      and ("pets"."category_id", "pets"."id") < ($2::bigint, $3::bigint))
    order by "pets"."category_id" desc, "pets"."id" desc
    limit 101) as range
  limit $4::int) as page

-- listPets, prepared: ASC, from the end, a category, after
-- $1 = 7, $2 = 11, $3 = 7, $4 = 21
select sum(octet_length("name")), array_agg("id"), array_agg("name"), array_agg("category_id"), array_agg("status")
from (
  select *
  from (
    select "pets"."id", "pets"."name", "pets"."category_id", "pets"."status"
    from "pets"
    where (("pets"."category_id", "pets"."id") > ($1::bigint, $2::bigint)
      and ("pets"."category_id") <= ($3::bigint))
    order by "pets"."category_id" desc, "pets"."id" desc
    limit 101) as range
  limit $4::int) as page

-- listPets, prepared: ASC, from the end, a category, after, before
-- $1 = 7, $2 = 11, $3 = 7, $4 = 99, $5 = 21
select sum(octet_length("name")), array_agg("id"), array_agg("name"), array_agg("category_id"), array_agg("status")
from (
  select *
  from (
    select "pets"."id", "pets"."name", "pets"."category_id", "pets"."status"
    from "pets"
    where (("pets"."category_id", "pets"."id") > ($1::bigint, $2::bigint)
      and ("pets"."category_id", "pets"."id") < ($3::bigint, $4::bigint))
    order by "pets"."category_id" desc, "pets"."id" desc
    limit 101) as range
  limit $5::int) as page

-- listPets, not prepared: ASC, from the end, a category, a prefix
-- $1 = 7, $2 = 7, $3 = re, $4 = rf, $5 = 21
select sum(octet_length("name")), array_agg("id"), array_agg("name"), array_agg("category_id"), array_agg("status")
from (
  select *
  from (
    select "pets"."id", "pets"."name", "pets"."category_id", "pets"."status"
    from "pets"
    where (("pets"."category_id") >= ($1::bigint)
      and ("pets"."category_id") <= ($2::bigint)
      and (lower(left("pets"."name", 500) collate "pet_names") collate "C") >= $3::text
      and (lower(left("pets"."name", 500) collate "pet_names") collate "C") < $4::text)
    order by "pets"."category_id" desc, "pets"."id" desc
    limit 101) as range
  limit $5::int) as page

-- listPets, not prepared: ASC, from the end, a category, a prefix, before
-- $1 = 7, $2 = 7, $3 = 99, $4 = re, $5 = rf, $6 = 21
select sum(octet_length("name")), array_agg("id"), array_agg("name"), array_agg("category_id"), array_agg("status")
from (
  select *
  from (
    select "pets"."id", "pets"."name", "pets"."category_id", "pets"."status"
    from "pets"
    where (("pets"."category_id") >= ($1::bigint)
      and ("pets"."category_id", "pets"."id") < ($2::bigint, $3::bigint)
      and (lower(left("pets"."name", 500) collate "pet_names") collate "C") >= $4::text
      and (lower(left("pets"."name", 500) collate "pet_names") collate "C") < $5::text)
    order by "pets"."category_id" desc, "pets"."id" desc
    limit 101) as range
  limit $6::int) as page

-- listPets, not prepared: ASC, from the end, a category, a prefix, after
-- $1 = 7, $2 = 11, $3 = 7, $4 = re, $5 = rf, $6 = 21
select sum(octet_length("name")), array_agg("id"), array_agg("name"), array_agg("category_id"), array_agg("status")
from (
  select *
  from (
    select "pets"."id", "pets"."name", "pets"."category_id", "pets"."status"
    from "pets"
    where (("pets"."category_id", "pets"."id") > ($1::bigint, $2::bigint)
      and ("pets"."category_id") <= ($3::bigint)
      and (lower(left("pets"."name", 500) collate "pet_names") collate "C") >= $4::text
      and (lower(left("pets"."name", 500) collate "pet_names") collate "C") < $5::text)
    order by "pets"."category_id" desc, "pets"."id" desc
    limit 101) as range
  limit $6::int) as page

-- listPets, not prepared: ASC, from the end, a category, a prefix, after, before
-- $1 = 7, $2 = 11, $3 = 7, $4 = 99, $5 = re, $6 = rf, $7 = 21
select sum(octet_length("name")), array_agg("id"), array_agg("name"), array_agg("category_id"), array_agg("status")
from (
  select *
  from (
    select "pets"."id", "pets"."name", "pets"."category_id", "pets"."status"
    from "pets"
    where (("pets"."category_id", "pets"."id") > ($1::bigint, $2::bigint)
      and ("pets"."category_id", "pets"."id") < ($3::bigint, $4::bigint)
      and (lower(left("pets"."name", 500) collate "pet_names") collate "C") >= $5::text
      and (lower(left("pets"."name", 500) collate "pet_names") collate "C") < $6::text)
    order by "pets"."category_id" desc, "pets"."id" desc
    limit 101) as range
  limit $7::int) as page

-- listPets, not prepared: ASC, from the end, a category, a prefix without an upper end
-- $1 = 7, $2 = 7, $3 = \u{10ffff}, $4 = 21
select sum(octet_length("name")), array_agg("id"), array_agg("name"), array_agg("category_id"), array_agg("status")
from (
  select *
  from (
    select "pets"."id", "pets"."name", "pets"."category_id", "pets"."status"
    from "pets"
    where (("pets"."category_id") >= ($1::bigint)
      and ("pets"."category_id") <= ($2::bigint)
      and (lower(left("pets"."name", 500) collate "pet_names") collate "C") >= $3::text)
    order by "pets"."category_id" desc, "pets"."id" desc
    limit 101) as range
  limit $4::int) as page

-- listPets, not prepared: ASC, from the end, a category, a prefix without an upper end, before
-- $1 = 7, $2 = 7, $3 = 99, $4 = \u{10ffff}, $5 = 21
select sum(octet_length("name")), array_agg("id"), array_agg("name"), array_agg("category_id"), array_agg("status")
from (
  select *
  from (
    select "pets"."id", "pets"."name", "pets"."category_id", "pets"."status"
    from "pets"
    where (("pets"."category_id") >= ($1::bigint)
      and ("pets"."category_id", "pets"."id") < ($2::bigint, $3::bigint)
      and (lower(left("pets"."name", 500) collate "pet_names") collate "C") >= $4::text)
    order by "pets"."category_id" desc, "pets"."id" desc
    limit 101) as range
  limit $5::int) as page

-- listPets, not prepared: ASC, from the end, a category, a prefix without an upper end, after
-- $1 = 7, $2 = 11, $3 = 7, $4 = \u{10ffff}, $5 = 21
select sum(octet_length("name")), array_agg("id"), array_agg("name"), array_agg("category_id"), array_agg("status")
from (
  select *
  from (
    select "pets"."id", "pets"."name", "pets"."category_id", "pets"."status"
    from "pets"
    where (("pets"."category_id", "pets"."id") > ($1::bigint, $2::bigint)
      and ("pets"."category_id") <= ($3::bigint)
      and (lower(left("pets"."name", 500) collate "pet_names") collate "C") >= $4::text)
    order by "pets"."category_id" desc, "pets"."id" desc
    limit 101) as range
  limit $5::int) as page

-- listPets, not prepared: ASC, from the end, a category, a prefix without an upper end, after, before
-- $1 = 7, $2 = 11, $3 = 7, $4 = 99, $5 = \u{10ffff}, $6 = 21
select sum(octet_length("name")), array_agg("id"), array_agg("name"), array_agg("category_id"), array_agg("status")
from (
  select *
  from (
    select "pets"."id", "pets"."name", "pets"."category_id", "pets"."status"
    from "pets"
    where (("pets"."category_id", "pets"."id") > ($1::bigint, $2::bigint)
      and ("pets"."category_id", "pets"."id") < ($3::bigint, $4::bigint)
      and (lower(left("pets"."name", 500) collate "pet_names") collate "C") >= $5::text)
    order by "pets"."category_id" desc, "pets"."id" desc
    limit 101) as range
  limit $6::int) as page

-- listPets, prepared: ASC, from the end, a status
-- $1 = sold, $2 = sold, $3 = 21
select sum(octet_length("name")), array_agg("id"), array_agg("name"), array_agg("category_id"), array_agg("status")
from (
  select *
  from (
    select "pets"."id", "pets"."name", "pets"."category_id", "pets"."status"
    from "pets"
    where (("pets"."status") >= ($1::pet_status)
      and ("pets"."status") <= ($2::pet_status))
    order by "pets"."status" desc, "pets"."id" desc
    limit 101) as range
  limit $3::int) as page

-- listPets, prepared: ASC, from the end, a status, before
-- $1 = sold, $2 = sold, $3 = 99, $4 = 21
select sum(octet_length("name")), array_agg("id"), array_agg("name"), array_agg("category_id"), array_agg("status")
from (
  select *
  from (
    select "pets"."id", "pets"."name", "pets"."category_id", "pets"."status"
    from "pets"
    where (("pets"."status") >= ($1::pet_status)
      and ("pets"."status", "pets"."id") < ($2::pet_status, $3::bigint))
    order by "pets"."status" desc, "pets"."id" desc
    limit 101) as range
  limit $4::int) as page

-- listPets, prepared: ASC, from the end, a status, after
-- $1 = sold, $2 = 11, $3 = sold, $4 = 21
select sum(octet_length("name")), array_agg("id"), array_agg("name"), array_agg("category_id"), array_agg("status")
from (
  select *
  from (
    select "pets"."id", "pets"."name", "pets"."category_id", "pets"."status"
    from "pets"
    where (("pets"."status", "pets"."id") > ($1::pet_status, $2::bigint)
      and ("pets"."status") <= ($3::pet_status))
    order by "pets"."status" desc, "pets"."id" desc
    limit 101) as range
  limit $4::int) as page

-- listPets, prepared: ASC, from the end, a status, after, before
-- $1 = sold, $2 = 11, $3 = sold, $4 = 99, $5 = 21
select sum(octet_length("name")), array_agg("id"), array_agg("name"), array_agg("category_id"), array_agg("status")
from (
  select *
  from (
    select "pets"."id", "pets"."name", "pets"."category_id", "pets"."status"
    from "pets"
    where (("pets"."status", "pets"."id") > ($1::pet_status, $2::bigint)
      and ("pets"."status", "pets"."id") < ($3::pet_status, $4::bigint))
    order by "pets"."status" desc, "pets"."id" desc
    limit 101) as range
  limit $5::int) as page

-- listPets, not prepared: ASC, from the end, a status, a prefix
-- $1 = sold, $2 = sold, $3 = re, $4 = rf, $5 = 21
select sum(octet_length("name")), array_agg("id"), array_agg("name"), array_agg("category_id"), array_agg("status")
from (
  select *
  from (
    select "pets"."id", "pets"."name", "pets"."category_id", "pets"."status"
    from "pets"
    where (("pets"."status") >= ($1::pet_status)
      and ("pets"."status") <= ($2::pet_status)
      and (lower(left("pets"."name", 500) collate "pet_names") collate "C") >= $3::text
      and (lower(left("pets"."name", 500) collate "pet_names") collate "C") < $4::text)
    order by "pets"."status" desc, "pets"."id" desc
    limit 101) as range
  limit $5::int) as page

-- listPets, not prepared: ASC, from the end, a status, a prefix, before
-- $1 = sold, $2 = sold, $3 = 99, $4 = re, $5 = rf, $6 = 21
select sum(octet_length("name")), array_agg("id"), array_agg("name"), array_agg("category_id"), array_agg("status")
from (
  select *
  from (
    select "pets"."id", "pets"."name", "pets"."category_id", "pets"."status"
    from "pets"
    where (("pets"."status") >= ($1::pet_status)
      and ("pets"."status", "pets"."id") < ($2::pet_status, $3::bigint)
      and (lower(left("pets"."name", 500) collate "pet_names") collate "C") >= $4::text
      and (lower(left("pets"."name", 500) collate "pet_names") collate "C") < $5::text)
    order by "pets"."status" desc, "pets"."id" desc
    limit 101) as range
  limit $6::int) as page

-- listPets, not prepared: ASC, from the end, a status, a prefix, after
-- $1 = sold, $2 = 11, $3 = sold, $4 = re, $5 = rf, $6 = 21
select sum(octet_length("name")), array_agg("id"), array_agg("name"), array_agg("category_id"), array_agg("status")
from (
  select *
  from (
    select "pets"."id", "pets"."name", "pets"."category_id", "pets"."status"
    from "pets"
    where (("pets"."status", "pets"."id") > ($1::pet_status, $2::bigint)
      and ("pets"."status") <= ($3::pet_status)
      and (lower(left("pets"."name", 500) collate "pet_names") collate "C") >= $4::text
      and (lower(left("pets"."name", 500) collate "pet_names") collate "C") < $5::text)
    order by "pets"."status" desc, "pets"."id" desc
    limit 101) as range
  limit $6::int) as page

-- listPets, not prepared: ASC, from the end, a status, a prefix, after, before
-- $1 = sold, $2 = 11, $3 = sold, $4 = 99, $5 = re, $6 = rf, $7 = 21
select sum(octet_length("name")), array_agg("id"), array_agg("name"), array_agg("category_id"), array_agg("status")
from (
  select *
  from (
    select "pets"."id", "pets"."name", "pets"."category_id", "pets"."status"
    from "pets"
    where (("pets"."status", "pets"."id") > ($1::pet_status, $2::bigint)
      and ("pets"."status", "pets"."id") < ($3::pet_status, $4::bigint)
      and (lower(left("pets"."name", 500) collate "pet_names") collate "C") >= $5::text
      and (lower(left("pets"."name", 500) collate "pet_names") collate "C") < $6::text)
    order by "pets"."status" desc, "pets"."id" desc
    limit 101) as range
  limit $7::int) as page

-- listPets, not prepared: ASC, from the end, a status, a prefix without an upper end
-- $1 = sold, $2 = sold, $3 = \u{10ffff}, $4 = 21
select sum(octet_length("name")), array_agg("id"), array_agg("name"), array_agg("category_id"), array_agg("status")
from (
  select *
  from (
    select "pets"."id", "pets"."name", "pets"."category_id", "pets"."status"
    from "pets"
    where (("pets"."status") >= ($1::pet_status)
      and ("pets"."status") <= ($2::pet_status)
      and (lower(left("pets"."name", 500) collate "pet_names") collate "C") >= $3::text)
    order by "pets"."status" desc, "pets"."id" desc
    limit 101) as range
  limit $4::int) as page

-- listPets, not prepared: ASC, from the end, a status, a prefix without an upper end, before
-- $1 = sold, $2 = sold, $3 = 99, $4 = \u{10ffff}, $5 = 21
select sum(octet_length("name")), array_agg("id"), array_agg("name"), array_agg("category_id"), array_agg("status")
from (
  select *
  from (
    select "pets"."id", "pets"."name", "pets"."category_id", "pets"."status"
    from "pets"
    where (("pets"."status") >= ($1::pet_status)
      and ("pets"."status", "pets"."id") < ($2::pet_status, $3::bigint)
      and (lower(left("pets"."name", 500) collate "pet_names") collate "C") >= $4::text)
    order by "pets"."status" desc, "pets"."id" desc
    limit 101) as range
  limit $5::int) as page

-- listPets, not prepared: ASC, from the end, a status, a prefix without an upper end, after
-- $1 = sold, $2 = 11, $3 = sold, $4 = \u{10ffff}, $5 = 21
select sum(octet_length("name")), array_agg("id"), array_agg("name"), array_agg("category_id"), array_agg("status")
from (
  select *
  from (
    select "pets"."id", "pets"."name", "pets"."category_id", "pets"."status"
    from "pets"
    where (("pets"."status", "pets"."id") > ($1::pet_status, $2::bigint)
      and ("pets"."status") <= ($3::pet_status)
      and (lower(left("pets"."name", 500) collate "pet_names") collate "C") >= $4::text)
    order by "pets"."status" desc, "pets"."id" desc
    limit 101) as range
  limit $5::int) as page

-- listPets, not prepared: ASC, from the end, a status, a prefix without an upper end, after, before
-- $1 = sold, $2 = 11, $3 = sold, $4 = 99, $5 = \u{10ffff}, $6 = 21
select sum(octet_length("name")), array_agg("id"), array_agg("name"), array_agg("category_id"), array_agg("status")
from (
  select *
  from (
    select "pets"."id", "pets"."name", "pets"."category_id", "pets"."status"
    from "pets"
    where (("pets"."status", "pets"."id") > ($1::pet_status, $2::bigint)
      and ("pets"."status", "pets"."id") < ($3::pet_status, $4::bigint)
      and (lower(left("pets"."name", 500) collate "pet_names") collate "C") >= $5::text)
    order by "pets"."status" desc, "pets"."id" desc
    limit 101) as range
  limit $6::int) as page

-- listPets, prepared: ASC, from the end, a status, a category
-- $1 = sold, $2 = 7, $3 = sold, $4 = 7, $5 = 21
select sum(octet_length("name")), array_agg("id"), array_agg("name"), array_agg("category_id"), array_agg("status")
from (
  select *
  from (
    select "pets"."id", "pets"."name", "pets"."category_id", "pets"."status"
    from "pets"
    where (("pets"."status", "pets"."category_id") >= ($1::pet_status, $2::bigint)
      and ("pets"."status", "pets"."category_id") <= ($3::pet_status, $4::bigint))
    order by "pets"."status" desc, "pets"."category_id" desc, "pets"."id" desc
    limit 101) as range
  limit $5::int) as page

-- listPets, prepared: ASC, from the end, a status, a category, before
-- $1 = sold, $2 = 7, $3 = sold, $4 = 7, $5 = 99, $6 = 21
select sum(octet_length("name")), array_agg("id"), array_agg("name"), array_agg("category_id"), array_agg("status")
from (
  select *
  from (
    select "pets"."id", "pets"."name", "pets"."category_id", "pets"."status"
    from "pets"
    where (("pets"."status", "pets"."category_id") >= ($1::pet_status, $2::bigint)
      and ("pets"."status", "pets"."category_id", "pets"."id") < ($3::pet_status, $4::bigint, $5::bigint))
    order by "pets"."status" desc, "pets"."category_id" desc, "pets"."id" desc
    limit 101) as range
  limit $6::int) as page

-- listPets, prepared: ASC, from the end, a status, a category, after
-- $1 = sold, $2 = 7, $3 = 11, $4 = sold, $5 = 7, $6 = 21
select sum(octet_length("name")), array_agg("id"), array_agg("name"), array_agg("category_id"), array_agg("status")
from (
  select *
  from (
    select "pets"."id", "pets"."name", "pets"."category_id", "pets"."status"
    from "pets"
    where (("pets"."status", "pets"."category_id", "pets"."id") > ($1::pet_status, $2::bigint, $3::bigint)
      and ("pets"."status", "pets"."category_id") <= ($4::pet_status, $5::bigint))
    order by "pets"."status" desc, "pets"."category_id" desc, "pets"."id" desc
    limit 101) as range
  limit $6::int) as page

-- listPets, prepared: ASC, from the end, a status, a category, after, before
-- $1 = sold, $2 = 7, $3 = 11, $4 = sold, $5 = 7, $6 = 99, $7 = 21
select sum(octet_length("name")), array_agg("id"), array_agg("name"), array_agg("category_id"), array_agg("status")
from (
  select *
  from (
    select "pets"."id", "pets"."name", "pets"."category_id", "pets"."status"
    from "pets"
    where (("pets"."status", "pets"."category_id", "pets"."id") > ($1::pet_status, $2::bigint, $3::bigint)
      and ("pets"."status", "pets"."category_id", "pets"."id") < ($4::pet_status, $5::bigint, $6::bigint))
    order by "pets"."status" desc, "pets"."category_id" desc, "pets"."id" desc
    limit 101) as range
  limit $7::int) as page

-- listPets, not prepared: ASC, from the end, a status, a category, a prefix
-- $1 = sold, $2 = 7, $3 = sold, $4 = 7, $5 = re, $6 = rf, $7 = 21
select sum(octet_length("name")), array_agg("id"), array_agg("name"), array_agg("category_id"), array_agg("status")
from (
  select *
  from (
    select "pets"."id", "pets"."name", "pets"."category_id", "pets"."status"
    from "pets"
    where (("pets"."status", "pets"."category_id") >= ($1::pet_status, $2::bigint)
      and ("pets"."status", "pets"."category_id") <= ($3::pet_status, $4::bigint)
      and (lower(left("pets"."name", 500) collate "pet_names") collate "C") >= $5::text
      and (lower(left("pets"."name", 500) collate "pet_names") collate "C") < $6::text)
    order by "pets"."status" desc, "pets"."category_id" desc, "pets"."id" desc
    limit 101) as range
  limit $7::int) as page

-- listPets, not prepared: ASC, from the end, a status, a category, a prefix, before
-- $1 = sold, $2 = 7, $3 = sold, $4 = 7, $5 = 99, $6 = re, $7 = rf, $8 = 21
select sum(octet_length("name")), array_agg("id"), array_agg("name"), array_agg("category_id"), array_agg("status")
from (
  select *
  from (
    select "pets"."id", "pets"."name", "pets"."category_id", "pets"."status"
    from "pets"
    where (("pets"."status", "pets"."category_id") >= ($1::pet_status, $2::bigint)
      and ("pets"."status", "pets"."category_id", "pets"."id") < ($3::pet_status, $4::bigint, $5::bigint)
      and (lower(left("pets"."name", 500) collate "pet_names") collate "C") >= $6::text
      and (lower(left("pets"."name", 500) collate "pet_names") collate "C") < $7::text)
    order by "pets"."status" desc, "pets"."category_id" desc, "pets"."id" desc
    limit 101) as range
  limit $8::int) as page

-- listPets, not prepared: ASC, from the end, a status, a category, a prefix, after
-- $1 = sold, $2 = 7, $3 = 11, $4 = sold, $5 = 7, $6 = re, $7 = rf, $8 = 21
select sum(octet_length("name")), array_agg("id"), array_agg("name"), array_agg("category_id"), array_agg("status")
from (
  select *
  from (
    select "pets"."id", "pets"."name", "pets"."category_id", "pets"."status"
    from "pets"
    where (("pets"."status", "pets"."category_id", "pets"."id") > ($1::pet_status, $2::bigint, $3::bigint)
      and ("pets"."status", "pets"."category_id") <= ($4::pet_status, $5::bigint)
      and (lower(left("pets"."name", 500) collate "pet_names") collate "C") >= $6::text
      and (lower(left("pets"."name", 500) collate "pet_names") collate "C") < $7::text)
    order by "pets"."status" desc, "pets"."category_id" desc, "pets"."id" desc
    limit 101) as range
  limit $8::int) as page

-- listPets, not prepared: ASC, from the end, a status, a category, a prefix, after, before
-- $1 = sold, $2 = 7, $3 = 11, $4 = sold, $5 = 7, $6 = 99, $7 = re, $8 = rf, $9 = 21
select sum(octet_length("name")), array_agg("id"), array_agg("name"), array_agg("category_id"), array_agg("status")
from (
  select *
  from (
    select "pets"."id", "pets"."name", "pets"."category_id", "pets"."status"
    from "pets"
    where (("pets"."status", "pets"."category_id", "pets"."id") > ($1::pet_status, $2::bigint, $3::bigint)
      and ("pets"."status", "pets"."category_id", "pets"."id") < ($4::pet_status, $5::bigint, $6::bigint)
      and (lower(left("pets"."name", 500) collate "pet_names") collate "C") >= $7::text
      and (lower(left("pets"."name", 500) collate "pet_names") collate "C") < $8::text)
    order by "pets"."status" desc, "pets"."category_id" desc, "pets"."id" desc
    limit 101) as range
  limit $9::int) as page

-- listPets, not prepared: ASC, from the end, a status, a category, a prefix without an upper end
-- $1 = sold, $2 = 7, $3 = sold, $4 = 7, $5 = \u{10ffff}, $6 = 21
select sum(octet_length("name")), array_agg("id"), array_agg("name"), array_agg("category_id"), array_agg("status")
from (
  select *
  from (
    select "pets"."id", "pets"."name", "pets"."category_id", "pets"."status"
    from "pets"
    where (("pets"."status", "pets"."category_id") >= ($1::pet_status, $2::bigint)
      and ("pets"."status", "pets"."category_id") <= ($3::pet_status, $4::bigint)
      and (lower(left("pets"."name", 500) collate "pet_names") collate "C") >= $5::text)
    order by "pets"."status" desc, "pets"."category_id" desc, "pets"."id" desc
    limit 101) as range
  limit $6::int) as page

-- listPets, not prepared: ASC, from the end, a status, a category, a prefix without an upper end, before
-- $1 = sold, $2 = 7, $3 = sold, $4 = 7, $5 = 99, $6 = \u{10ffff}, $7 = 21
select sum(octet_length("name")), array_agg("id"), array_agg("name"), array_agg("category_id"), array_agg("status")
from (
  select *
  from (
    select "pets"."id", "pets"."name", "pets"."category_id", "pets"."status"
    from "pets"
    where (("pets"."status", "pets"."category_id") >= ($1::pet_status, $2::bigint)
      and ("pets"."status", "pets"."category_id", "pets"."id") < ($3::pet_status, $4::bigint, $5::bigint)
      and (lower(left("pets"."name", 500) collate "pet_names") collate "C") >= $6::text)
    order by "pets"."status" desc, "pets"."category_id" desc, "pets"."id" desc
    limit 101) as range
  limit $7::int) as page

-- listPets, not prepared: ASC, from the end, a status, a category, a prefix without an upper end, after
-- $1 = sold, $2 = 7, $3 = 11, $4 = sold, $5 = 7, $6 = \u{10ffff}, $7 = 21
select sum(octet_length("name")), array_agg("id"), array_agg("name"), array_agg("category_id"), array_agg("status")
from (
  select *
  from (
    select "pets"."id", "pets"."name", "pets"."category_id", "pets"."status"
    from "pets"
    where (("pets"."status", "pets"."category_id", "pets"."id") > ($1::pet_status, $2::bigint, $3::bigint)
      and ("pets"."status", "pets"."category_id") <= ($4::pet_status, $5::bigint)
      and (lower(left("pets"."name", 500) collate "pet_names") collate "C") >= $6::text)
    order by "pets"."status" desc, "pets"."category_id" desc, "pets"."id" desc
    limit 101) as range
  limit $7::int) as page

-- listPets, not prepared: ASC, from the end, a status, a category, a prefix without an upper end, after, before
-- $1 = sold, $2 = 7, $3 = 11, $4 = sold, $5 = 7, $6 = 99, $7 = \u{10ffff}, $8 = 21
select sum(octet_length("name")), array_agg("id"), array_agg("name"), array_agg("category_id"), array_agg("status")
from (
  select *
  from (
    select "pets"."id", "pets"."name", "pets"."category_id", "pets"."status"
    from "pets"
    where (("pets"."status", "pets"."category_id", "pets"."id") > ($1::pet_status, $2::bigint, $3::bigint)
      and ("pets"."status", "pets"."category_id", "pets"."id") < ($4::pet_status, $5::bigint, $6::bigint)
      and (lower(left("pets"."name", 500) collate "pet_names") collate "C") >= $7::text)
    order by "pets"."status" desc, "pets"."category_id" desc, "pets"."id" desc
    limit 101) as range
  limit $8::int) as page
