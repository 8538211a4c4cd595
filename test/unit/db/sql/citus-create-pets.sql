-- drawIds, prepared
-- $1 = 2
select nextval('pets_id_seq')::text
from generate_series(1, $1::int)

-- createPets, not prepared
-- $1 = 11, $2 = Rex, $3 = 7, $4 = sold, $5 = 12, $6 = Rex, $7 = 7, $8 = NULL
insert into "pets" ("id", "name", "category_id", "status") overriding system value values ($1::bigint, $2::text, $3::bigint, $4::pet_status), ($5::bigint, $6::text, $7::bigint, $8::pet_status)

-- announceChanges, prepared
-- $1 = {"created"}, $2 = {"{\"id\":\"11\",\"name\":\"Rex\",\"category_id\":\"7\",\"status\":\"sold\"}"}, $3 = {null}
with written as materialized (
  select extract(epoch
    from now()) || '-' || number as sent_at, event, event_parts(event) as parts, number
  from unnest($1::text[], $2::json[], $3::json[]) with ordinality as change (kind, item, before, number), "pet_event"(kind, item, before) as event)
select count(pg_notify('pet_changes', notification))
from (
  select event_notification(event, sent_at, part, parts) as notification
  from written, generate_series(1, parts) as part
  order by number, part) as ordered

-- announceChanges, prepared
-- $1 = {"created"}, $2 = {"{\"id\":\"12\",\"name\":\"Rex\",\"category_id\":\"7\",\"status\":null}"}, $3 = {null}
with written as materialized (
  select extract(epoch
    from now()) || '-' || number as sent_at, event, event_parts(event) as parts, number
  from unnest($1::text[], $2::json[], $3::json[]) with ordinality as change (kind, item, before, number), "pet_event"(kind, item, before) as event)
select count(pg_notify('pet_changes', notification))
from (
  select event_notification(event, sent_at, part, parts) as notification
  from written, generate_series(1, parts) as part
  order by number, part) as ordered
