-- silenceEvents, not prepared
select set_config('pet_store.silent', 'on', true)

-- resetSubscriptions, not prepared
select pg_notify('pet_store_' || '"pets"'::regclass::oid, 'reset')

-- importPets, prepared
-- $1 = {"Rex"}, $2 = {"7"}, $3 = {"sold"}
insert into "pets" ("name", "category_id", "status")
select *
from unnest($1::varchar[], $2::bigint[], $3::pet_status[])
returning "pets"."id"

-- silenceEvents, not prepared
select set_config('pet_store.silent', 'on', true)

-- resetSubscriptions, not prepared
select pg_notify('pet_store_' || '"pets"'::regclass::oid, 'reset')

-- lockPets, not prepared
lock table "pets" in share row exclusive mode

-- importPetsWithIds, prepared
-- $1 = {"5"}, $2 = {"Rex"}, $3 = {"7"}, $4 = {"sold"}
insert into "pets" ("id", "name", "category_id", "status")
select *
from unnest($1::bigint[], $2::varchar[], $3::bigint[], $4::pet_status[])
on conflict do nothing
returning "pets"."id"

-- skipTakenIds, not prepared
select setval('pets_id_seq', (
    select max("pets"."id")
    from "pets"))
from "pets_id_seq"
where (
  select max("pets"."id")
  from "pets") >= last_value
