-- beginExport, not prepared
begin isolation level repeatable read, read only

-- countExport, not prepared
select count(*)
from "pets"

-- declareExport, not prepared
declare "exported_pets" no scroll cursor for
select "id", "name", "category_id", "status"
from "pets"
order by "pets"."id"

-- fetchExport, not prepared
fetch 500
from "exported_pets"
