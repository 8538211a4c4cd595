-- drawIds, prepared
-- $1 = 2
select nextval('pets_id_seq')::text
from generate_series(1, $1::int)

-- createPets, not prepared
-- $1 = 11, $2 = Rex, $3 = 7, $4 = sold, $5 = 12, $6 = Rex, $7 = 7, $8 = NULL
insert into "pets" ("id", "name", "category_id", "status") overriding system value values ($1::bigint, $2::text, $3::bigint, $4::pet_status), ($5::bigint, $6::text, $7::bigint, $8::pet_status)

-- announceChanges, prepared
-- $1 = {"created"}, $2 = {"[{\"id\":\"11\",\"name\":\"Rex\",\"category_id\":\"7\",\"status\":\"sold\"}]"}
select count(notify_event('pet_changes', "pet_event"(kind, row::jsonb)) is null)
from (
  select kind, row
  from unnest($1::text[], $2::text[]) with ordinality as change (kind, row, number)
  order by number) as ordered

-- announceChanges, prepared
-- $1 = {"created"}, $2 = {"[{\"id\":\"12\",\"name\":\"Rex\",\"category_id\":\"7\",\"status\":null}]"}
select count(notify_event('pet_changes', "pet_event"(kind, row::jsonb)) is null)
from (
  select kind, row
  from unnest($1::text[], $2::text[]) with ordinality as change (kind, row, number)
  order by number) as ordered
