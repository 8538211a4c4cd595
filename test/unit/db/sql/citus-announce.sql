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
-- $1 = {"updated"}, $2 = {"{\"id\":\"11\",\"name\":\"Rex\",\"category_id\":\"7\",\"status\":null}"}, $3 = {"{\"id\":\"11\",\"name\":\"Rex\",\"category_id\":\"7\",\"status\":\"sold\"}"}
with written as materialized (
  select extract(epoch
    from now()) || '-' || number as sent_at, event, event_parts(event) as parts, number
  from unnest($1::text[], $2::json[], $3::json[]) with ordinality as change (kind, item, before, number), "pet_event"(kind, item, before) as event)
select count(pg_notify('pet_changes', notification))
from (
  select event_notification(event, sent_at, part, parts) as notification
  from written, generate_series(1, parts) as part
  order by number, part) as ordered

-- resetSubscriptions, not prepared
select pg_notify('pet_changes', 'reset')
