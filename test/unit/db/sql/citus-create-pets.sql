-- drawIds, prepared
-- $1 = 2
select nextval('pets_id_seq')::text
from generate_series(1, $1::int)

-- createPets, not prepared
-- $1 = 11, $2 = Rex, $3 = 7, $4 = sold, $5 = 12, $6 = Rex, $7 = 7, $8 = NULL
insert into "pets" ("id", "name", "category_id", "status") overriding system value values ($1::bigint, $2::text, $3::bigint, $4::pet_status), ($5::bigint, $6::text, $7::bigint, $8::pet_status)

-- announceChanges, prepared
-- $1 = {"created"}, $2 = {"11"}, $3 = {"Rex"}, $4 = {"7"}, $5 = {"sold"}, $6 = {null}, $7 = {null}, $8 = {null}
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

-- announceChanges, prepared
-- $1 = {"created"}, $2 = {"12"}, $3 = {"Rex"}, $4 = {"7"}, $5 = {null}, $6 = {null}, $7 = {null}, $8 = {null}
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
