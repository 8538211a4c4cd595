-- nameKeys, prepared
-- $1 = {"Rex"}
select (lower(left(text, 500) collate "pet_names") collate "C")
from unnest($1::text[]) with ordinality as request (text, number)
order by number
