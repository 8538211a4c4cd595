-- beginExport, not prepared
begin read only

-- declareExport, not prepared
declare "exported_pets" no scroll cursor for
select "id", "name", "category_id", "status"
from "pets"
order by "pets"."id"

-- fetchExport, not prepared
fetch 500
from "exported_pets"
