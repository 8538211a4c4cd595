-- beginReadOnly, not prepared
begin read only

-- declareExport, not prepared
declare "exported_crates" no scroll cursor for
select
  "id",
  "owner_id",
  "label",
  "size",
  "note",
  "unit"
from
  "crates"
order by
  "crates"."id"

-- fetchExport, not prepared
fetch 500
from
  "exported_crates"
