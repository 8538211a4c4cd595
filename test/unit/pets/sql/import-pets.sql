-- createImport, not prepared
create temporary table "imported_pets" as
select 0::bigint as "line", "pets"."id", "pets"."name", "pets"."category_id", "pets"."status"
from "pets" with no data

-- collectPets, prepared
-- $1 = {"2"}, $2 = {"5"}, $3 = {"Rex"}, $4 = {"7"}, $5 = {"sold"}
insert into "imported_pets" ("line", "id", "name", "category_id", "status")
select *
from unnest($1::bigint[], $2::bigint[], $3::text[], $4::bigint[], $5::pet_status[])

-- indexImport, not prepared
alter table "imported_pets" add primary key ("line")

-- analyzeImport, not prepared
analyze "imported_pets"

-- dropRepeatedIds, not prepared
with numbered as (
  select "line", min("line") over (partition by "id") as first
  from "imported_pets"),
dropped as (
  delete from "imported_pets" using numbered
  where "imported_pets"."line" = numbered.line
  and numbered.line > numbered.first
  returning "imported_pets"."line", "imported_pets"."id", numbered.first)
select line::text, id::text, first::text, (
  select count(*)
  from dropped)::text
from dropped
order by dropped.line
limit 100

-- begin, not prepared
begin

-- lockPets, not prepared
lock table "pets" in share row exclusive mode

-- dropExistingIds, not prepared
with existing as materialized (
  select "pets"."id"
  from "pets"
  where "pets"."id" in (
    select "imported_pets"."id"
    from "imported_pets")),
dropped as (
  delete from "imported_pets"
  where "imported_pets"."id" in (
    select "id"
    from existing)
  returning "imported_pets"."line", "imported_pets"."id")
select line::text, id::text, null, (
  select count(*)
  from dropped)::text
from dropped
order by dropped.line
limit 100

-- reserveIds, not prepared
select setval('pets_id_seq', greatest_id)
from "pets_id_seq", (
  select max("id") as greatest_id
  from "imported_pets") as kept
where greatest_id > last_value or (greatest_id = last_value
  and not is_called)

-- commit, not prepared
commit

-- countImport, not prepared
select count(*)::text
from "imported_pets"

-- silenceEvents, not prepared
select set_config('pet_store.silent', 'on', true)

-- resetSubscriptions, not prepared
select pg_notify('pet_store_events', 'reset')

-- isOwner, not prepared
select
from pg_class
where oid = 'pets'::regclass
and pg_has_role(relowner, 'usage')

-- lockIndexes, not prepared
lock table "pets" in share update exclusive mode

-- findAnyPet, not prepared
select
from "pets"
limit 1

-- findIndexes, not prepared
select indexrelid::regclass::text, pg_get_indexdef(indexrelid)
from pg_index
where indrelid = 'pets'::regclass
and not indisunique
order by 1

-- dropIndex, not prepared
drop index an_index

-- createIndex, not prepared
create index an_index on …

-- importPets, prepared
-- $1 = 2, $2 = 3
insert into "pets" ("name", "category_id", "status")
select "name", "category_id", "status"
from "imported_pets"
where "line" between $1::bigint
and $2::bigint
order by "line"

-- importPetsWithIds, prepared
-- $1 = 2, $2 = 3
insert into "pets" ("id", "name", "category_id", "status") overriding system value
select "id", "name", "category_id", "status"
from "imported_pets"
where "line" between $1::bigint
and $2::bigint
order by "line"
