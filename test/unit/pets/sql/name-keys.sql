-- nameKeys, prepared
-- $1 = {"Rex"}
select (lower(left(name, 500) collate "pet_names") collate "C")
from unnest($1::text[]) with ordinality as request (name, number)
order by number
