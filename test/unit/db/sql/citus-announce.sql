-- announceChanges, prepared
-- $1 = {"created"}, $2 = {"[{\"id\":\"11\",\"name\":\"Rex\",\"category_id\":\"7\",\"status\":\"sold\"}]"}
select count(notify_event('pet_changes', "pet_event"(kind, row::jsonb)) is null)
from (
  select kind, row
  from unnest($1::text[], $2::text[]) with ordinality as change (kind, row, number)
  order by number) as ordered

-- announceChanges, prepared
-- $1 = {"updated"}, $2 = {"[{\"id\":\"11\",\"name\":\"Rex\",\"category_id\":\"7\",\"status\":null},{\"id\":\"11\",\"name\":\"Rex\",\"category_id\":\"7\",\"status\":\"sold\"}]"}
select count(notify_event('pet_changes', "pet_event"(kind, row::jsonb)) is null)
from (
  select kind, row
  from unnest($1::text[], $2::text[]) with ordinality as change (kind, row, number)
  order by number) as ordered

-- resetSubscriptions, not prepared
select pg_notify('pet_changes', 'reset')
