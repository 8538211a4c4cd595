-- nameKey, prepared
-- $1 = Rex
select (lower(left($1::text, 500) collate "pet_names") collate "C")
