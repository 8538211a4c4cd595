-- announceChanges, prepared
-- $1 = {"created","updated"}, $2 = {"11","11"}, $3 = {"Rex","Rex"}, $4 = {"7","7"}, $5 = {"sold",null}, $6 = {null,"Rex"}, $7 = {null,"7"}, $8 = {null,"sold"}
select count(pg_notify('pet_changes', notification))
from (
  select concat_ws(' ', extract(epoch
      from now()) || '-' || number, part, parts, substr(event, (part - 1) * 1900 + 1, 1900)) as notification
  from (
    select number, event, ceil(length(event) / 1900.0)::int as parts
    from (
      select number, json_build_object('kind', kind, 'id', id, 'name', name, 'states', case when old_name is null then json_build_array(json_build_object('categoryId', "category", 'status', "status", 'nameKey', (lower(left("name", 500) collate "pet_names") collate "C"))) else json_build_array(json_build_object('categoryId', "category", 'status', "status", 'nameKey', (lower(left("name", 500) collate "pet_names") collate "C")), json_build_object('categoryId', "old_category", 'status', "old_status", 'nameKey', (lower(left("old_name", 500) collate "pet_names") collate "C"))) end)::text as event
      from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[]) with ordinality as change ("kind", "id", "name", "category", "status", "old_name", "old_category", "old_status", number)) as written) as measured
  cross join generate_series(1, parts) as part
  order by number, part) as ordered

-- resetSubscriptions, not prepared
select pg_notify('pet_changes', 'reset')
